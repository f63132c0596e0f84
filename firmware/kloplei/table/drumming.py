"""Fingers that drum on the wood: blow after blow, closer together than anybody knocks."""

from dataclasses import dataclass

from kloplei.table.gestures import Place

CLOSE_S = 0.13  # apart; within real patterns of knocks it is 0.15 to 0.43
ALIKE = 0.3  # of the other's strength: a knuckle that bounces comes down weaker
ENOUGH = 3  # so many in a row: a second one may be a glass put down, or a hand that slips


@dataclass(frozen=True, slots=True)
class _Blow:
    at_s: float
    strength: float
    in_a_row: int = 1


class Drumming:
    """Watches all blows at each place, whatever they were taken for.

    Each place by itself: when all answer at once, their knocks come close together as well.
    """

    def __init__(self) -> None:
        self._last: dict[Place, _Blow] = {}

    def struck(self, place: Place, at_s: float, strength: float) -> bool:
        """Take in a blow at *at_s* of *strength*, 0 to 1; return whether fingers drum there.

        What is much weaker than the blow before is its echo, and neither goes on nor ends it.
        """
        last = self._last.get(place)
        in_a_row = 1
        if last is not None and abs(at_s - last.at_s) < CLOSE_S:
            if strength < ALIKE * last.strength:
                return False
            in_a_row = last.in_a_row + 1
        self._last[place] = _Blow(at_s, strength, in_a_row)
        return in_a_row >= ENOUGH
