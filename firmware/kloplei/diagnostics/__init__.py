"""What works in this box and what does not, each as a finding with the next step.

A check is told where to look and yields findings: keys of sentences and their facts (`findings`).
It reads files below a root, asks programs, and changes nothing (`system`, `pins`, `buses`,
`network`, `sensors`, `slate`); it never opens a pin, for what a running table holds stays its own.
`registry` says who can do which checks, and does them at once on threads that it leaves behind when
they hang. Three ask: `kloplei doctor` (`doctor`), which opens the parts itself where no table runs;
the table's process (its `TableDoctor`), through its socket; and the panel, which adds what only it
sees. `levels` and `pads` ask people to knock, where the doctor is told to. Read `findings` first,
then `registry`.
"""
