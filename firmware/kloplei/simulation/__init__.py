"""A pub table that is not there: blows, a plate of wood, piezos under it and their converter.

Pure: what is random comes from a seed, and time is an argument. ::

    table = TableTop.of_seed(7, seats=4)
    block = table.record(Blow.KNUCKLE, table.seats[2], seed=1)
"""

from kloplei.simulation.blows import Blow
from kloplei.simulation.plate import Plate, Spot, Wave, corner_places, pad_places, seat_places
from kloplei.simulation.table_top import MCP3008, Electronics, SimulatedConverter, TableTop, Trouble

__all__ = [
    "MCP3008",
    "Blow",
    "Electronics",
    "Plate",
    "SimulatedConverter",
    "Spot",
    "TableTop",
    "Trouble",
    "Wave",
    "corner_places",
    "pad_places",
    "seat_places",
]
