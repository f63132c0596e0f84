"""The names of the ledger's lines, and in which step of a hand each is booked (§ 3)."""

from collections.abc import Mapping

from kloplei.rules.tarok.events import PAID_AT_THE_DEAL
from kloplei.rules.tarok.tariff import DECLARATIONS, FATES

_STEPS: tuple[tuple[str, ...], ...] = (
    PAID_AT_THE_DEAL,
    (
        *dict.fromkeys(what for known in DECLARATIONS.values() for what in known),
        *("refund_own", "refund_third", "fine"),
    ),
    tuple(dict.fromkeys(what for known in FATES.values() for what in known)),
    (
        *("pagat_ultimo_won", "king_ultimo_won", "pagat_ultimo_lost", "king_ultimo_lost"),
        *("last_trick", "tout", "nolo", "vole_made", "vole_failed", "nolo_made", "nolo_failed"),
        "excuse_alone",
    ),
    ("cards",),
    ("result", "pots_share"),
)

LINES: Mapping[str, int] = {
    name: step for step, names in enumerate(_STEPS, start=1) for name in names
}
"""Every line by name, with its step; the order within a step means nothing."""
