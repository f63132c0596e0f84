"""The two ways from a piezo disc to the Pi: a converter's channel, and a comparator pad.

Every value stands here once, with its tolerance and its reason. The picture, the netlist for
ngspice and the table in hw/piezo.md are made from it.
"""

from hw.hands import BUTTON, BUZZER
from hw.sheet import GROUND, Kind, Label, Part, Sheet

BASE = -4.0  # the ground line, in grid steps; the signal runs at 0
RAIL = 3.0  # the supply line
_SCHOTTKY = "1N5711, BAR28, or half a BAS40-04 or BAS70-04"


def _down(x: float, top: float = 0.0, bottom: float = BASE) -> tuple[tuple[float, float], ...]:
    return ((x, top), (x, bottom))


_PUCK = (
    Part(
        "BZ1", Kind.DISC, _down(0), 20e-9, 0.3, "piezo disc, 27 mm, on brass",
        "20 nF and some hundred ohm of loss; brass to the wood and to the shield",
    ),
    Part(
        "R1", Kind.RESISTOR, _down(2.5), 470e3, 0.01, "470 kohm 1 %, soldered to the disc",
        "lower half of the bias: when plug or wire is off, the input runs to 3.3 V, and the box "
        "says so; keeps a warm or dropped disc from charging itself up",
    ),
)  # fmt: skip


def _input(sensitive: bool) -> tuple[Part, ...]:
    """Return what both ways have behind the plug; *sensitive* is set by jumpers or a trimmer."""
    first = Part(
        "C1", Kind.CAPACITOR, _down(7), 4.7e-9, 0.05, "4.7 nF 100 V, film",
        "takes sparks and pick-up when no disc is plugged in; costs 1 dB of a knock",
    )  # fmt: skip
    softer = (
        Part("JP1", Kind.JUMPER, _down(9.5, 0, -2), name="pin header with jumper",
             why="closed: 8 dB softer, for thin tables and hard hands"),
        Part("C2", Kind.CAPACITOR, _down(9.5, -2), 47e-9, 0.05, "47 nF 100 V, film",
             "shares the charge of the disc: it softens all frequencies alike"),
        Part("JP2", Kind.JUMPER, _down(12, 0, -2), name="pin header with jumper",
             why="closed: 18 dB softer, for a disc right under the hand"),
        Part("C3", Kind.CAPACITOR, _down(12, -2), 220e-9, 0.05, "220 nF 100 V, film", "as C2"),
    )  # fmt: skip
    x = 14.5 if sensitive else 9.5
    rest = (
        Part(
            "D1", Kind.SUPPRESSOR, _down(x), 12.0, 0.05, "P6KE12CA",
            "ends every blow and spark at some 13 V, so that R3 and the clamps can bear the rest",
        ),
        Part(
            "R2", Kind.RESISTOR, ((x + 2.5, 0), (x + 2.5, RAIL)), 470e3, 0.01, "470 kohm 1 %",
            "upper half of the bias: 1.65 V with R1; with all capacitors it begins at 20 Hz, "
            "below the 60 Hz at which the ears begin",
        ),
    )  # fmt: skip
    return (first, *softer, *rest) if sensitive else (first, *rest)


ADC = Sheet(
    "Piezo on a channel of the MCP3208",
    parts=(
        *_PUCK,
        *_input(sensitive=True),
        Part(
            "R3", Kind.RESISTOR, ((18, 0), (21, 0)), 10e3, 0.01, "10 kohm 1 %",
            "with C4 and the disc a low pass at 3 kHz; no more than 1 mA reaches the clamps",
        ),
        Part(
            "D2", Kind.SCHOTTKY, ((22, 0), (22, RAIL)), name=_SCHOTTKY,
            why="holds the pin 0.45 V above the rail at most. Not a BAT54 or BAT85: their "
            "2 uA of leakage would move the middle by half a volt",
        ),
        Part(
            "D3", Kind.SCHOTTKY, ((22, BASE), (22, 0)), name=_SCHOTTKY,
            why="as D2, 0.45 V below ground at most",
        ),
        Part(
            "C4", Kind.CAPACITOR, _down(25), 6.8e-9, 0.05, "6.8 nF, C0G or film",
            "the converter's 20 pF still hold the channel before: 340 times as much here keeps "
            "that 50 dB down; C0G, or the capacitor itself is a piezo",
        ),
        Part(
            "C5", Kind.CAPACITOR, _down(31, RAIL), 22e-6, 0.2, "22 uF 10 V",
            "one for all channels: takes what the clamps bring, until R5 has let it go",
        ),
        Part(
            "C6", Kind.CAPACITOR, _down(33.5, RAIL), 100e-9, 0.1, "100 nF, ceramic",
            "one at the converter, as its maker asks",
        ),
        Part(
            "R5", Kind.RESISTOR, _down(36, RAIL), 470.0, 0.05, "470 ohm",
            "one for all channels: a regulator cannot take current back. This takes 7 mA, what "
            "eight discs bring at once, even if nothing else of the Pi ran on 3V3",
        ),
        Part(
            "R4", Kind.RESISTOR, ((37, RAIL), (40, RAIL)), 10.0, 0.05, "10 ohm",
            "one for all channels: keeps the noise of the Pi out of VDD and VREF",
        ),
    ),
    wires=(
        ((0, 0), (18, 0)),
        ((21, 0), (27, 0)),
        ((0, BASE), (36, BASE)),
        ((17, RAIL), (37, RAIL)),
        ((40, RAIL), (41, RAIL)),
    ),
    labels=(
        Label("LIVE", (4.75, 0), is_port=True),
        Label(GROUND, (28.5, BASE), is_port=True),
        Label("CH", (27, 0), is_port=True),
        Label("3V3A", (28.5, RAIL), is_port=True),
        Label("3V3", (41, RAIL), is_port=True),
    ),
)  # fmt: skip

PAD = Sheet(
    "Piezo as a knock pad",
    parts=(
        *_PUCK,
        *_input(sensitive=False),
        Part(
            "R3", Kind.RESISTOR, ((13, 0), (16, 0)), 100e3, 0.01, "100 kohm 1 %",
            "with C4 a low pass at 3.4 kHz; no more than 0.15 mA reaches the clamps",
        ),
        Part("D2", Kind.SCHOTTKY, ((17, 0), (17, RAIL)), name=_SCHOTTKY,
             why="as on the converter's channel"),
        Part("D3", Kind.SCHOTTKY, ((17, BASE), (17, 0)), name=_SCHOTTKY,
             why="as D2, for ground"),
        Part("C4", Kind.CAPACITOR, _down(19.5), 470e-12, 0.05, "470 pF, C0G",
             "keeps radio and the phone beside the cards out"),
        Part(
            "U1A", Kind.COMPARATOR, ((23, 2), (23, 0), (27, 1)),
            name="MCP6547-I/P, or LMC6772 (half)",
            why="low when the wood swings up. From rail to rail, for an input without its puck "
            "lies at 3.3 V; an open drain; CMOS, for the 0.25 uA that an LM393 may pull would "
            "move a threshold by 80 mV",
        ),
        Part("U1B", Kind.COMPARATOR, ((23, -1), (23, -3), (27, -2)),
             name="MCP6547-I/P, or LMC6772 (half)",
             why="low when it swings down: whichever comes first counts"),
        Part("R11", Kind.RESISTOR, ((28, 0), (31, 0)), 220.0, 0.05, "220 ohm",
             "empties C5 with 15 mA at most; without it 33 and more, where a comparator may "
             "sink 30"),
        Part("R7", Kind.RESISTOR, _down(32.5, RAIL, 0), 22e3, 0.05, "22 kohm",
             "with C5 and the Pi's own pull-up holds the pulse for some 3 ms after the last swing"),
        Part("C5", Kind.CAPACITOR, _down(34.5), 220e-9, 0.1, "220 nF",
             "as R7: one stroke is one pulse, not one a swing"),
        Part("R8", Kind.RESISTOR, ((35.5, 0), (38.5, 0)), 1e3, 0.05, "1 kohm",
             "the pin survives being an output by mistake"),
        Part("R4", Kind.RESISTOR, _down(44, RAIL, 1.5), 47e3, 0.01, "47 kohm 1 %",
             "the thresholds lie as far above the middle as below it, whatever 3V3 is"),
        Part("RV1", Kind.TRIMMER, _down(44, 1.5, -0.5), 47e3, 0.2, "47 kohm, 10 turns",
             "sensitivity: from 45 mV, a finger, to 0.55 V, a fist"),
        Part("R6", Kind.RESISTOR, _down(44, -0.5, -2), 2.7e3, 0.01, "2.7 kohm 1 %",
             "the end of the trimmer: finer, and with the worst of parts it would hear itself"),
        Part("R5", Kind.RESISTOR, _down(44, -2), 47e3, 0.01, "47 kohm 1 %", "as R4"),
        Part("C6", Kind.CAPACITOR, _down(47, RAIL), 100e-9, 0.1, "100 nF, ceramic",
             "at the comparator"),
    ),
    wires=(
        ((0, 0), (13, 0)),
        ((16, 0), (23, 0)),
        ((21.5, 0), (21.5, -1), (23, -1)),
        ((27, 1), (28, 1), (28, -2), (27, -2)),
        ((31, 0), (35.5, 0)),
        ((38.5, 0), (39.5, 0)),
        ((0, BASE), (47, BASE)),
        ((12, RAIL), (47, RAIL)),
        ((22, 2), (23, 2)),
        ((22, -3), (23, -3)),
        ((43, 1.5), (44, 1.5)),
        ((43, -2), (44, -2)),
    ),
    labels=(
        Label("LIVE", (4.75, 0), is_port=True),
        Label(GROUND, (23.5, BASE), is_port=True),
        Label("3V3", (23.5, RAIL), is_port=True),
        Label("OUT", (39.5, 0), is_port=True),
        Label("HIGH", (22, 2)),
        Label("LOW", (22, -3)),
        Label("HIGH", (43, 1.5)),
        Label("LOW", (43, -2)),
    ),
)  # fmt: skip

_FLOOR = -7.0
GAIN = Sheet(
    "Gain stage of a channel",
    parts=(
        Part("JP3", Kind.JUMPER, ((9, 2), (14, 2)), name="a link of wire",
             why="only where the stage is left out, and R15 with it: it would hear itself"),
        Part(
            "U2A", Kind.OPAMP, ((8, 0), (8, -2), (12, -1)), name="MCP6002-I/P (half)",
            why="from rail to rail at either end, and content with 3.2 V; it bears its inputs 1 V "
            "beyond its supplies, and D2 and D3 end at 0.5",
        ),
        Part("R13", Kind.RESISTOR, ((8, -3.5), (13, -3.5)), 39e3, 0.01, "39 kohm 1 %",
             "with R14 a gain of 4.9, 14 dB; 91 kohm make it 10, 20 dB"),
        Part("R14", Kind.RESISTOR, ((6.5, -3.5), (6.5, -5.2)), 10e3, 0.01, "10 kohm 1 %", "as R13"),
        Part("C8", Kind.CAPACITOR, ((6.5, -5.2), (6.5, _FLOOR)), 2.2e-6, 0.2, "2.2 uF 16 V",
             "plus to R14. What stands still is not amplified, so the channel rests in the middle "
             "as before; from 7 Hz on it is"),
        Part("R15", Kind.RESISTOR, ((14, -1), (17, -1)), 1e3, 0.05, "1 kohm",
             "an amplifier does not like C9 at its end"),
        Part("C9", Kind.CAPACITOR, ((18.5, -1), (18.5, _FLOOR)), 6.8e-9, 0.05,
             "6.8 nF, C0G or film", "as C4, before the converter"),
        Part("C10", Kind.CAPACITOR, ((23.5, 2), (23.5, _FLOOR)), 100e-9, 0.1, "100 nF, ceramic",
             "at U2"),
    ),
    wires=(
        ((2, 0), (8, 0)),
        ((5, 0), (5, 2), (9, 2)),
        ((14, 2), (20, 2), (20, -1)),
        ((8, -2), (8, -3.5)),
        ((6.5, -3.5), (8, -3.5)),
        ((12, -1), (14, -1)),
        ((13, -1), (13, -3.5)),
        ((17, -1), (21, -1)),
        ((6.5, _FLOOR), (23.5, _FLOOR)),
    ),
    labels=(
        Label("IN", (2, 0), is_port=True),
        Label(GROUND, (10, _FLOOR), is_port=True),
        Label("AMP", (21, -1), is_port=True),
        Label("3V3A", (23.5, 2), is_port=True),
    ),
    frame="a channel, up to C4",
)  # fmt: skip

SHEETS = {"adc": ADC, "gain": GAIN, "pad": PAD, "button": BUTTON, "buzzer": BUZZER}
