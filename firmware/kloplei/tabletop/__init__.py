"""A pub table that is not there: blows, a plate of wood, piezos under it and their converter.

Pure: what is random comes from a seed, and time is an argument. ::

    table = TableTop.of_seed(7, seats=4)
    block = table.record(Blow.KNUCKLE, table.seats[2], seed=1)
"""

from kloplei.tabletop.blows import Blow
from kloplei.tabletop.converter import MCP3008, Converter, Electronics, Trouble
from kloplei.tabletop.places import Spot, corner_places, pad_places, seat_places
from kloplei.tabletop.plate import Plate
from kloplei.tabletop.table_top import TableTop
from kloplei.tabletop.wave import Wave

__all__ = [
    "MCP3008",
    "Blow",
    "Converter",
    "Electronics",
    "Plate",
    "Spot",
    "TableTop",
    "Trouble",
    "Wave",
    "corner_places",
    "pad_places",
    "seat_places",
]
