"""Records: hands written down in YAML, read with their line numbers and played by the rules.

In comes a file, out go an `Outcome` a record and one exit code. `reader` knows files and YAML,
and asks the module of a game (each has a ``read``) for its record;
`play` has what they share; `commands` prints. Nothing here keeps anything, or has a thread.
Read `play` first, then `eenendertigen`, the shortest of the games.
"""
