"""The bench: ten minutes that turn a real table into recordings with labels (hw/bench.md).

In come blocks of the sensors, on their own thread, which puts them into an `Intake`; all else is
done by the thread that leads people through. Out goes a folder of WAV files with labels.json, whole
after any power cut, and one file of it to send. `protocol` says what is asked for and when,
`session` leads through it from a terminal, and from a phone beside a table that runs where
`recorder` has it do so; `sensors` opens the converter, `writer` writes one recording, `_labels`
says what is to be seen in it, `folder` keeps and packs them. Read `protocol`, then `session`.
"""
