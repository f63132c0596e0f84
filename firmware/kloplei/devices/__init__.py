"""What hangs on wires: pads, piezos, sound card, buttons, slates, lights, buzzer; or none of it.

In come edges of pins and samples of a converter or a sound card; out go messages for the table's
inbox: a seat was pressed or released, a blow was felt and judged, a part failed or works again.
`box` opens all that the settings wire, reports what does not open as `PartFailed`, and leaves it
out: no broken part ends an evening. Only one process owns the pins, the table unit.

Three kinds of threads: the pin library's, whose callbacks do nothing but pass on; the schedule's
one, on which all that has to happen later happens (`schedule`); and two for the converter, one that
reads and one that listens (`sampling`). Nobody here knows the rules of a game or writes to the
journal. `virtual` is the same box without wires, for the demo and for tests. Read `box` first, then
`inputs` for pads and buttons, `adc`, `audio`, `sampling` and `piezos` for discs, `oled` for the
slates, `signals` for lamp, ring and buzzer. A `Loudspeaker` is no part of the box: the caller opens
it for each call.
"""
