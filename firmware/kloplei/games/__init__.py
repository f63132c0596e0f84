"""The games: rules alone, with no clock, no pins, no sockets and no randomness.

An `Action` comes in and may be refused; `Event`s go out, and a neutral `Scoreboard` that every edge
reads. Nobody here owns anything: the table holds the state and asks, from one thread. `game` and
`scoreboard` are the vocabulary, `card_game` what all games do alike, `catalogue` lists them. Each
game is a package with the same parts; a new one is told in `docs/adding-a-game.md`. Read `game`
first, then `scoreboard`, then `eenendertigen`, the smallest.
"""
