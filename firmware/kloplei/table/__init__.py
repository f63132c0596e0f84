"""The one owner of the evening: one queue, one thread, journal first, then show.

Messages of devices (`messages`) and wishes of phones come in at `session`, which has the only
thread. `core` holds the table together: `gestures` makes patterns of blows, `intents` makes of
patterns what is wanted, `ledger` asks the game, writes through `journal` and `journal_file`, and
remembers; `expectation` says what knocks are likely now, for who judges them; `seating` and
`actions` are what the table itself can do, `people` who comes back, `pairing` lets phones in by a
knock. Out go scoreboards. Everything outside sees the table through the Protocols of `client`: in
this process, or over a Unix socket (`rpc`, `rpc_client`, `rpc_server`), in the words of `schema`.
Read `client` first, then `core`.
"""
