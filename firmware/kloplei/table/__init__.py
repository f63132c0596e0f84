"""The one owner of the evening: one queue, one thread, journal first, then show.

Messages of devices (`messages`) and wishes of phones come in at `session`, which has the only
thread. `core` holds the table together: `gestures` makes patterns of blows, `intents` makes of
patterns what is wanted, `ledger` asks the game, writes through `journal` and `journal_file`, and
remembers; `expectation` says what knocks are likely now, for who judges them; `seating` and
`actions` are what the table itself can do, `people` who comes back, `pairing` lets phones in by a
knock, `guide` leads a new box through its first hand. Out go scoreboards, and to a house what
`outbox` lets out of the journal. Everything outside sees the table through the Protocols of
`client`, and of the `..._client` modules for its parts: in this process, or over a Unix socket
(`rpc`, `rpc_client`, `rpc_server`), in the words of `schema`. Read `client` first, then `core`.
"""
