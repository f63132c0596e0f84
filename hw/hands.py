"""What hands reach of the box, button and buzzer, and what stands between them and their pins."""

from hw.sheet import GROUND, Kind, Label, Part, Sheet

_BASE, _RAIL = -4.0, 3.0  # the ground line and the supply line, in grid steps


BUTTON = Sheet(
    "A button, and any contact that a hand reaches",
    parts=(
        Part("S1", Kind.BUTTON, ((0, 0), (0, _BASE)), name="push button",
             why="a hand that comes over a carpet brings 8 kV to it"),
        Part(
            "D4", Kind.SUPPRESSOR, ((7, 0), (7, _BASE)), 6.8, 0.05, "P6KE6.8CA, for long wires",
            "only where the wire is longer than a metre, or the seat is far from the box: halves "
            "what is left of a spark",
        ),
        Part(
            "C7", Kind.CAPACITOR, ((9.5, 0), (9.5, _BASE)), 100e-9, 0.2, "100 nF, ceramic",
            "on the side of the hand: a spark's charge fills it to 12 V, and no more. On the "
            "pin's side R9 would bear 6 kV, and the pin 4 to 7 A",
        ),
        Part(
            "R9", Kind.RESISTOR, ((11.5, 0), (14.5, 0)), 1e3, 0.05, "1 kohm",
            "lets some milliamperes of those 12 V into the pin; and the pin survives being an "
            "output by mistake",
        ),
        Part(
            "R10", Kind.RESISTOR, ((16, 0), (16, _RAIL)), 57e3, 0.14, "the Pi's own pull-up",
            "50 to 65 kohm inside the Pi; with C7 a released button reads so some 4 ms later",
        ),
    ),
    wires=(((0, 0), (11.5, 0)), ((14.5, 0), (17.5, 0)), ((0, _BASE), (9.5, _BASE))),
    labels=(
        Label("HAND", (4.75, 0)),
        Label(GROUND, (8.25, _BASE), is_port=True),
        Label("GPIO", (17.5, 0), is_port=True),
        Label("3V3", (16, _RAIL), is_port=True),
    ),
    frame="at the seat",
)  # fmt: skip

BUZZER = Sheet(
    "A buzzer, or a bare disc in its place",
    parts=(
        Part(
            "BZ2", Kind.DISC, ((0, 0), (0, _BASE)), 20e-9, 0.3, "passive buzzer, a piezo",
            "a bare disc of 27 mm has 20 nF, a buzzer in its case less; who hits it gets tens of "
            "volts out of it",
        ),
        Part(
            "D5", Kind.ZENER, ((7, _BASE), (7, 0)), 5.1, 0.05, "Zener diode 5.1 V, such as 1N4733A",
            "ends a blow at 5.1 V one way and at 0.8 V the other; ring towards R12",
        ),
        Part(
            "R12", Kind.RESISTOR, ((9.5, 0), (12.5, 0)), 1e3, 0.05, "1 kohm",
            "leaves 1.5 mA of those 5.1 V to the pin at most; and to the pin a buzzer is a "
            "capacitor, whose edges would take 33 mA through 100 ohm",
        ),
    ),
    wires=(((0, 0), (9.5, 0)), ((12.5, 0), (14, 0)), ((0, _BASE), (7, _BASE))),
    labels=(
        Label("BUZZER", (4.75, 0)),
        Label(GROUND, (5.75, _BASE), is_port=True),
        Label("GPIO", (14, 0), is_port=True),
    ),
    frame="in the lid",
)  # fmt: skip
