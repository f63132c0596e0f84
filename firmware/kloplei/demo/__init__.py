"""A table to try without a box: real table, slate and ears over virtual pins and virtual wood.

`table` puts it together in one process (`Demo`): the table unit as it runs on a Pi, on a
`VirtualBox`. What people click lands on `wood`, where it runs as a wave to the virtual discs and is
judged like any other; or moves a virtual pin. `bots` play where nobody does: they see the
scoreboard as people do and knock or press, on a thread of their own. Nothing here is needed on a
box. Read `table` first.
"""
