"""Where everything sits on the boards that makers solder. Parts and nets are those of the circuits.

All boards have one outline, so they stand on the same pillars: 25 strips of 24 holes, sawn from
strip board of 64 x 95 mm. On the first one are four channels and the converter, on the second
four more channels, on the third two pads, on the last what four buttons have before their pins.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from hw import footprints as fp
from hw.board import Board, Leg, Link, Put
from hw.footprints import Footprint, Hole
from hw.front_end import ADC, GAIN, PAD
from hw.hands import BUTTON
from hw.sheet import GROUND, Kind, Sheet

STRIPS, LENGTH = 25, 24
SCREWS = tuple(map(Hole.named, ("B2", "B23", "X2", "X23")))
CHANNEL_STRIPS = 5  # the ground of one channel is that of the next
PAD_STRIPS = 12

Places = Mapping[str, tuple[str, Footprint]]
"""Holes of a part's legs in the order of the circuit, ^ at the one that its body stands on."""

_CHANNEL: Places = {
    "J1": ("D3 F3", fp.CLAMP),
    "C1": ("D5 F5", fp.FILM_THIN),
    "D3": ("A6^ B6", fp.DIODE_UPRIGHT),
    "JP1": ("D6 C6", fp.JUMPER),
    "C2": ("C7 A7", fp.FILM_THIN),
    "R2": ("D7 E7^", fp.RESISTOR),
    "R3": ("D8 B8^", fp.RESISTOR),
    "D1": ("D9^ F9", fp.SUPPRESSOR),
    "C4": ("B11 A11", fp.CERAMIC),
    "JP2": ("D11 C11", fp.JUMPER),
    "D2": ("B12 E12", fp.DIODE_LYING),
    "C3": ("C14 A14", fp.FILM_THICK),
}  # fmt: skip
_CHANNEL_CUTS = "C8"

_CONVERTER: Places = {
    "C5": ("E19 F19", fp.ELECTROLYTIC),
    "C6": ("O22 P22", fp.CERAMIC),
    "R5": ("J20 K20^", fp.RESISTOR),
    "R4": ("J21 I21^", fp.RESISTOR),
    "U1": ("N18 O18 P18 Q18 R18 S18 T18 U18 U21 T21 S21 R21 Q21 P21 O21 N21", fp.CHIP_16),
}  # fmt: skip
MCP3208 = (
    "CH0", "CH1", "CH2", "CH3", "CH4", "CH5", "CH6", "CH7",
    GROUND, "CS", "DIN", "DOUT", "CLK", GROUND, "3V3A", "3V3A",
)  # fmt: skip
"""What its pins 1 to 16 go to: channels, DGND, four wires to the Pi, AGND, VREF, VDD."""

_CONVERTER_LINKS = (
    "B16-N16 G15-O15 L17-P17 "  # channels to the chip; the fourth is on its strip
    "A21-F21 F17-K17 K23-P23 P24-U24 U22-V22 U13-V13 P10-U10 "  # ground
    "E23-J23 J22-N22 N24-O24 J10-O10 O13-T13"  # 3V3A
)
_CONVERTER_CUTS = "N14 O14 P15 R15 S14 T14 U14 I15 N19 O19 P19 Q19 R19 S19 T19 U19"
_CONVERTER_WIRES = {
    "3V3": "I24", "CLK": "Q23", "DOUT": "R23", "DIN": "S23", "CS": "T23", GROUND: "V24",
}  # fmt: skip
_TO_MORE = {"CH4": "R16", "CH5": "S16", "CH6": "T16", "CH7": "U16", "3V3A": "J18", GROUND: "K18"}

_MORE_LINKS = "A16-F16 F17-K17 K16-P16 P17-U17 E18-J18 J19-O19 O18-T18"
_MORE_WIRES = {"CH4": "B20", "CH5": "G20", "CH6": "L20", "CH7": "Q20", "3V3A": "E20", GROUND: "F20"}

_PAD: Places = {
    "J1": ("E3 G3", fp.CLAMP),
    "C1": ("E5 G5", fp.FILM_THIN),
    "D3": ("B5^ C5", fp.DIODE_UPRIGHT),
    "R2": ("E6 F6^", fp.RESISTOR),
    "R3": ("E7 C7^", fp.RESISTOR),
    "D1": ("E8^ G8", fp.SUPPRESSOR),
    "C4": ("C9 B9", fp.CERAMIC),
    "D2": ("C10 F10", fp.DIODE_LYING),
    "U1": ("A13 B13 C13 D13 D16 C16 B16 A16", fp.CHIP_8),
    "C6": ("F14 G14", fp.CERAMIC),
    "R4": ("F19^ D19", fp.RESISTOR),
    "RV1": ("L8 K8 J8", fp.TRIMMER),
    "R6": ("J5^ H5", fp.RESISTOR),
    "R5": ("H6^ G6", fp.RESISTOR),
    "R7": ("F13 I13^", fp.RESISTOR),
    "C5": ("I16 G16", fp.FILM_THICK),
    "R8": ("I22^ K22", fp.RESISTOR),
    "R11": ("J19^ I19", fp.RESISTOR),
}  # fmt: skip
MCP6547 = {"U1A": (5, 6, 7), "U1B": (3, 2, 1)}
"""Pins of its halves: plus, minus, out. Swapped, so that both inputs meet under the chip."""
_MCP6547_SUPPLY = {4: GROUND, 8: "3V3"}

_PAD_LINKS = "B6-D6 D9-G9 A11-J11 B12-H12 A17-F17 B18-J18 D20-L20 J6-K6"
_PAD_CUTS = "B11 A14 B14 D14 J10 K21"
_PADS_LINKS = "G10-N10 F23-R23"
_PADS_WIRES = {"3V3": "F24", GROUND: "G24", "OUT1": "K24", "OUT2": "W24"}
_TO_MORE_PADS = {"3V3": "R24", GROUND: "S24"}

_BUTTON: Places = {
    "J1": ("D3 F3", fp.CLAMP),
    "D4": ("D7^ F7", fp.SUPPRESSOR),
    "C7": ("D10 F10", fp.CERAMIC_WIDE),
    "R9": ("D13 E13^", fp.RESISTOR),
}
_BUTTON_LINKS = "F16-K16 K17-P17 P16-U16"
_BUTTON_WIRES = {"GPIO1": "E24", "GPIO2": "J24", "GPIO3": "O24", "GPIO4": "T24", GROUND: "U24"}


_STAGE: Places = {
    "R15": ("D4^ E4", fp.RESISTOR),
    "JP3": ("F3 E3", fp.JUMPER),
    "C9": ("E6 G6", fp.FILM_THIN),
    "R14": ("E8 H8^", fp.RESISTOR),
    "R13": ("E10 D10^", fp.RESISTOR),
    "C8": ("H10 G10", fp.ELECTROLYTIC),
    "C10": ("D17 C17", fp.CERAMIC),
}  # fmt: skip
"""The stage on the left of its chip; the one on the right has other holes."""
_STAGE_RIGHT: Places = {
    "R13": ("F17 E17^", fp.RESISTOR),
    "R14": ("F16 I16^", fp.RESISTOR),
    "C8": ("I18 H18", fp.ELECTROLYTIC),
    "R15": ("E19^ F19", fp.RESISTOR),
    "C9": ("F21 H21", fp.FILM_THIN),
    "JP3": ("G22 F22", fp.JUMPER),
    "C10": ("D19 C19", fp.CERAMIC),
}  # fmt: skip
_AMPLIFIER = "D12 E12 F12 G12 G15 F15 E15 D15"
_STAGE_LINKS = "C5-G5 C20-H20"
_STAGE_CUTS = "D13 E13 F13 G13 H13 E7 F18"
_GAIN_LINKS = "D23-M23 H24-L24"
_GAIN_WIRES = {
    "IN1": "F1", "AMP1": "E1", "IN2": "G24", "AMP2": "F24",
    "IN3": "O1", "AMP3": "N1", "IN4": "P24", "AMP4": "O24", "3V3A": "D24", GROUND: "C24",
}  # fmt: skip
PAIR_STRIPS = 9


def _put(ref: str, places: tuple[str, Footprint], nets: Iterable[str]) -> Put:
    names, footprint = places
    holes = [Hole.named(name.removesuffix("^")) for name in names.split()]
    foot = next((at for at, name in enumerate(names.split()) if name.endswith("^")), 0)
    return Put(ref, tuple(map(Leg, holes, nets)), footprint, foot=foot)


def _links(names: str, below: int = 0) -> Iterator[Link]:
    for name in names.split():
        begin, end = map(Hole.named, name.split("-"))
        yield Link(begin.below(below), end.below(below))


def _cuts(names: str, below: int = 0) -> Iterator[Hole]:
    return (Hole.named(name).below(below) for name in names.split())


def _wires(ref: str, places: Mapping[str, str]) -> Put:
    return _put(ref, (" ".join(places.values()), fp.WIRE), places)


def _nets(sheet: Sheet, ref: str) -> tuple[str, ...]:
    """Return the nets of the legs of *ref*, as they are counted on the board."""
    if ref == "J1":
        return ("HAND" if sheet is BUTTON else "LIVE", GROUND)
    if ref == "U1":
        return MCP3208 if sheet is ADC else _comparator_nets(sheet)
    part = sheet.part(ref)
    nets = sheet.nets_of(part)
    return (*nets, nets[-1]) if part.kind is Kind.TRIMMER else nets  # leg 3 to the wiper


def _amplifier_nets(first: int) -> tuple[str, ...]:
    """Return what pins 1 to 8 of an MCP6002 go to, which serves channels *first* and the next."""
    plus, minus, out = GAIN.nets_of(GAIN.part("U2A"))
    left, right = (
        [_own(net, number) for net in (out, minus, plus)] for number in (first, first + 1)
    )
    return (*left, GROUND, *reversed(right), "3V3A")


def _stages(first: int, below: int) -> Iterator[Put]:
    """Yield two stages with the chip that they share, for channels from *first* on."""
    yield from _repeated(GAIN, _STAGE, first, below)
    yield from _repeated(GAIN, _STAGE_RIGHT, first + 1, below)
    chip = _put("U2", (_AMPLIFIER, fp.CHIP_8), _amplifier_nets(first))
    yield replace(chip, legs=tuple(Leg(hole.below(below), net) for hole, net in chip.legs))


def _comparator_nets(sheet: Sheet) -> tuple[str, ...]:
    by_pin = dict(_MCP6547_SUPPLY)
    for ref, pins in MCP6547.items():
        by_pin.update(zip(pins, sheet.nets_of(sheet.part(ref)), strict=True))
    return tuple(by_pin[pin] for pin in sorted(by_pin))


def _shared(sheet: Sheet, places: Places) -> Iterator[Put]:
    return (_put(ref, place, _nets(sheet, ref)) for ref, place in places.items())


def _repeated(sheet: Sheet, places: Places, number: int, below: int) -> Iterator[Put]:
    """Yield the parts of channel or pad *number*, so many strips *below* where they are named."""
    for put in _shared(sheet, places):
        legs = (Leg(hole.below(below), _own(net, number)) for hole, net in put.legs)
        yield replace(put, legs=tuple(legs), group=number)


def _own(net: str, number: int) -> str:
    """Return what *net* is called in channel or pad *number*; supplies are shared."""
    return net if net == GROUND or net.startswith("3V3") else f"{net}{number}"


def _board(name: str, title: str, each: str, parts: Iterable[Put], links: Iterable[Link],
           cuts: Iterable[Hole]) -> Board:  # fmt: skip
    sides = (STRIPS, LENGTH)
    return Board(name, title, each, *sides, tuple(parts), tuple(links), frozenset(cuts), SCREWS)


def _channels(first: int) -> tuple[Put, ...]:
    return tuple(
        put for at in range(4) for put in _repeated(ADC, _CHANNEL, first + at, at * CHANNEL_STRIPS)
    )


def _channel_cuts() -> Iterator[Hole]:
    return (hole for at in range(4) for hole in _cuts(_CHANNEL_CUTS, at * CHANNEL_STRIPS))


FIRST_FOUR = _board(
    "ears",
    "Four channels and the converter",
    "CH",
    (
        *_channels(0),
        *_shared(ADC, _CONVERTER),
        _wires("J2", _CONVERTER_WIRES),
        _wires("J3", _TO_MORE),
    ),
    _links(_CONVERTER_LINKS),
    (*_channel_cuts(), *_cuts(_CONVERTER_CUTS)),
)
NEXT_FOUR = _board(
    "more-ears",
    "Four more channels",
    "CH",
    (*_channels(4), _wires("J3", _MORE_WIRES)),
    _links(_MORE_LINKS),
    _channel_cuts(),
)
TWO_PADS = _board(
    "pads",
    "Two pads",
    "pad ",
    (
        *_repeated(PAD, _PAD, 1, 0),
        *_repeated(PAD, _PAD, 2, PAD_STRIPS),
        _wires("J2", _PADS_WIRES),
        _wires("J3", _TO_MORE_PADS),
    ),
    (*_links(_PAD_LINKS), *_links(_PAD_LINKS, PAD_STRIPS), *_links(_PADS_LINKS)),
    (*_cuts(_PAD_CUTS), *_cuts(_PAD_CUTS, PAD_STRIPS)),
)
FOUR_BUTTONS = _board(
    "buttons",
    "Four buttons",
    "button ",
    (
        *(put for at in range(4) for put in
          _repeated(BUTTON, _BUTTON, 1 + at, at * CHANNEL_STRIPS)),
        _wires("J2", _BUTTON_WIRES),
    ),
    _links(_BUTTON_LINKS),
    (),
)  # fmt: skip
FOUR_STAGES = _board(
    "gain",
    "Four gain stages",
    "channel ",
    (*_stages(1, 0), *_stages(3, PAIR_STRIPS), _wires("J3", _GAIN_WIRES)),
    (*_links(_STAGE_LINKS), *_links(_STAGE_LINKS, PAIR_STRIPS), *_links(_GAIN_LINKS)),
    (*_cuts(_STAGE_CUTS), *_cuts(_STAGE_CUTS, PAIR_STRIPS)),
)
BOARDS = (FIRST_FOUR, NEXT_FOUR, TWO_PADS, FOUR_BUTTONS, FOUR_STAGES)
