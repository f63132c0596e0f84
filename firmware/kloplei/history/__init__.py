"""What stays of the evenings: read out of the journal, in a file that can be thrown away.

`evenings` cuts the journal into evenings and folds each through its games, `_store` keeps what came
of it, `statistics` adds up what the games count, `titles` finds who earned one, `summary` says an
evening in words, and `recap` draws the picture to share. `service` keeps it up on a thread of its
own and answers who asks. Only `seasons`, and `notebooks` with evenings from paper, are what people
have. Nothing here is needed to play or holds the table up.
"""
