"""House rules of eenendertigen: every option with its default (§ 7)."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.house_rules import HouseRules, on_off, whole


@dataclass(frozen=True, slots=True)
class Options(HouseRules):
    """How this house plays eenendertigen; the defaults are those of the rule document.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str] = "Eenendertigen"

    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "rubber": ("lives", "swim", "payer", "latecomer_lives"),
        "cards": ("thirty_one", "three_alike", "three_aces"),
        "payments": ("knocker_pays", "ties"),
    }

    lives: int = whole(3, least=1, most=20)
    swim: bool = on_off(False)
    thirty_one: Literal["others_lose", "ends_deal", "counts"] = "others_lose"
    three_alike: Literal["others_lose", "ends_deal", "counts"] = "others_lose"
    three_aces: Literal["others_lose", "ends_deal", "counts"] = "others_lose"
    knocker_pays: int = whole(1, least=1, most=2)
    ties: Literal["all_lose", "nobody_loses"] = "all_lose"
    payer: Literal["first_out", "last_out", "all_out", "nobody"] = "first_out"
    latecomer_lives: Literal["highest", "average", "nothing"] = "highest"

    @property
    def limit(self) -> int:
        """Lives lost with which one is out; who swims has one more to lose."""
        return self.lives + self.swim

    def price(self, seat: Seat, knocker: Seat | None) -> int:
        """Return what *seat* loses who is lowest where *knocker* has knocked."""
        return self.knocker_pays if seat == knocker else 1

    def shown(self, holds: str) -> str:
        """Return what comes of laying open what one *holds*."""
        word: str = getattr(self, holds)
        return word


PRESETS: Mapping[str, Options] = {
    "nl": Options(),
    "de": Options(swim=True, thirty_one="ends_deal", three_alike="counts"),
}
"""House rules by name; ``nl`` is what a new table plays."""
