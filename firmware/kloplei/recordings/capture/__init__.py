"""The bench: ten minutes that turn a real table into recordings with labels (hw/bench.md).

`protocol` says what is asked for and when; `walk` leads through it; `take`, `blows`, `labels` and
`shelf` write down what came; `pack` makes one file of it to send.
"""
