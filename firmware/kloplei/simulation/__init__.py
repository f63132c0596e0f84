"""A pub table that is not there: blows, a plate of wood, piezos under it and their converter.

Pure: what is random comes from a seed, time is an argument, and no thread owns anything. A kind
of `Blow` and a `Spot` in metres come in; samples as a converter reads them come out, for the
demo, the bench and the tests. ::

    table = TableTop.of_seed(7, seats=4)
    channels = table.sampled(Blow.KNUCKLE, table.seats[2], rate_hz=4000, seed=1)

`blows` says what pushes the wood, `plate` how that rings, `coupling` what of it gets into a disc,
`table_top` what a converter sees of it. Read `table_top` first. The slow and true way to read the
same wood, noise and steps included, is in benchmarks/measured_table.py.
"""
