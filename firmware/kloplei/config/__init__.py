"""What the builder of a box may set: read from TOML, checked at start, frozen after that.

A file comes in at `reader`, a `Config` goes out, or one sentence that says what is wrong and what
may be. `settings` holds every setting with its default and its check; checks that no other file
needs stand in `schema`. `wiring` knows who claims which pin of the header. Read `settings` first;
docs/config.md says what each is for. No thread: whoever starts a unit reads it once.
"""
