"""Where the calibration in force stands; a new one is saved first, and then listened by."""

import threading
from collections.abc import Callable

from kloplei.knock.calibration import Calibration

Follow = Callable[[Calibration], None]


class Shelf:
    """Holds one calibration; safe from any thread.

    Args:
        calibration: The one to begin with.
        save: Writes one for the next start of the box; None forgets it with this one.
    """

    def __init__(self, calibration: Calibration, save: Follow | None = None) -> None:
        self._calibration = calibration
        self._save = save
        self._followers: list[Follow] = []
        self._putting = threading.Lock()

    @property
    def calibration(self) -> Calibration:
        """The one in force."""
        return self._calibration

    def follow(self, listen_by: Follow) -> None:
        """Let *listen_by* have every calibration that is put here from now on."""
        self._followers.append(listen_by)

    def put(self, calibration: Calibration) -> None:
        """Save *calibration* and let all listen by it from now on.

        Raises:
            KlopleiError, OSError: It could not be saved, and the old one is still in force.
        """
        with self._putting:
            if self._save is not None:
                self._save(calibration)
            self._calibration = calibration
            for listen_by in self._followers:
                listen_by(calibration)
