"""What stays of the evenings: read out of the journal, in a file that can be thrown away.

`evenings` cuts the journal into evenings and folds each through its games, `store` keeps what came
of it, `statistics` adds up what the games count, `titles` finds who earned one, and `recap` draws
the picture to share. Nothing here is needed to play, and nothing here holds the table up.
"""
