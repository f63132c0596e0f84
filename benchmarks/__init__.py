"""What Kloplei's figures in the docs were measured by, each beside others in the same run.

`knocks` (``make bench``) is the protocol of docs/bench.md: in go a folder of labelled recordings
(`labels`) and virtual rigs (`virtual_rigs`), out come a table (`tables`), JSON and plots (`plots`).
It hears them by Kloplei, by `judges` trained otherwise and by the `methods` of others, at each
level and rate of `protocol`; `scoring` says what was right, `rigs` what an unknown table makes of
it, `cost` what it takes. `race` (``make race``) compares all that is not hearing.

The rest stand alone, each a program that says in its first line what it measures: `seats`, `hands`,
`pads`, `lines`, `phases` and `hours` hear; `start` and `years` are about a box, `load` about its
phones, `house`, `folding` and `wall` about a house of many tables. Nothing of Kloplei imports any
of them, and no test holds a figure of time. Read `knocks` first.
"""
