"""The calibration in force: held by `CalibrationStore`, kept on disk by `CalibrationArchive`.

A new one is saved first, and then listened by. The one before it is kept beside it.
"""

import logging
import os
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

from kloplei.config.settings import TUNING_BEFORE, TUNING_IN_FORCE, TUNING_UNREAD
from kloplei.files import KlopleiError, atomic_write, reason_of
from kloplei.frozen import dataclass, replace
from kloplei.knock.calibration import Calibration, PlayCorrection
from kloplei.knock.calibration_file import as_toml, from_toml
from kloplei.table.client import TableUnavailable
from kloplei.words import Sentence, SentenceError, sentence_of

logger = logging.getLogger(__name__)


class TuningUnkept(SentenceError, OSError):
    """A tuning cannot be read or written; *sentence* says what to do."""


@dataclass(frozen=True, slots=True)
class CalibrationArchive:
    """Keeps two tunings in *folder*; each is a file of its own that people can read and copy.

    Args:
        folder: Made if it is missing.
    """

    folder: Path

    def load(self) -> Calibration:
        """Return the tuning in force; the default where nobody has tuned the table.

        Raises:
            TuningUnkept: There is a file, but it cannot be used.
        """
        return self._read(self.folder / TUNING_IN_FORCE) or Calibration()

    def save(self, calibration: Calibration) -> None:
        """Let *calibration* be in force, and keep the one that was as the one before.

        What cannot be read is moved aside: a newer Kloplei, or somebody with an editor, may.
        The one before that stays then.

        Raises:
            TuningUnkept: It could not be written; what was in force still is.
        """
        before, is_lost = self._or_aside(self.folder / TUNING_IN_FORCE)
        older, _ = self._or_aside(self.folder / TUNING_BEFORE)
        before = older if is_lost else before
        self._write(self.folder / TUNING_BEFORE, before or Calibration())
        self._write(self.folder / TUNING_IN_FORCE, calibration)

    @property
    def before(self) -> Calibration | None:
        """The tuning before the one in force, None if there is none.

        Raises:
            TuningUnkept: There is a file, but it cannot be used.
        """
        return self._read(self.folder / TUNING_BEFORE)

    def _read(self, path: Path) -> Calibration | None:
        try:
            # To open a pipe is to wait at it.
            if not path.is_fifo():
                return from_toml(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except OSError as error:
            why = reason_of(error)
            raise TuningUnkept(Sentence("tuning-unread", path=str(path), error=why)) from error
        except ValueError as error:
            why = "no-text" if isinstance(error, UnicodeDecodeError) else str(error)
            raise TuningUnkept(Sentence("no-tuning-in", path=str(path), error=why)) from error
        raise TuningUnkept(Sentence("no-tuning-in", path=str(path), error="pipe"))

    def _or_aside(self, path: Path) -> tuple[Calibration | None, bool]:
        """Return what *path* holds, and whether it had to be moved aside because nobody can tell.

        Raises:
            TuningUnkept: It cannot be moved either.
        """
        try:
            return self._read(path), False
        except TuningUnkept:
            aside = self.folder / TUNING_UNREAD
            names = (aside.with_stem(f"{aside.stem}-{number}") for number in count(2))
            while os.path.lexists(aside):
                aside = next(names)
            try:
                path.rename(aside)
            except OSError as error:
                raise self._unkept(error) from error
            logger.warning("%s cannot be used; it is %s now", path, aside.name)
            return None, True

    def _write(self, path: Path, calibration: Calibration) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(path, as_toml(calibration).encode())
        except OSError as error:
            raise self._unkept(error) from error

    def _unkept(self, error: OSError) -> TuningUnkept:
        told = {"folder": str(self.folder), "error": reason_of(error)}
        return TuningUnkept(Sentence("tuning-unkept", **told))


Follow = Callable[[Calibration], None]


class CalibrationStore:
    """Holds one calibration: a tuning, and what was learned in play on top of it.

    Safe from any thread.

    Args:
        calibration: The one to begin with.
        save: Writes one for the next start of the box; None forgets it with this one.
        trouble: Why the one that was kept cannot be read, None where it can.
    """

    def __init__(
        self,
        calibration: Calibration,
        save: Follow | None = None,
        trouble: Sentence | None = None,
    ) -> None:
        self.calibration = self.tuned = calibration
        """The one in force; *tuned* is the same without what was learned in play."""
        self.trouble = trouble
        """Why the one that was kept cannot be read; None once another is in force."""
        self._save = save
        self._followers: list[Follow] = []
        self._learners: list[Follow] = []
        self._putting = threading.Lock()

    def follow(self, listen_by: Follow) -> None:
        """Let *listen_by* have every calibration that is put here from now on."""
        self._followers.append(listen_by)

    def follow_tuning(self, learn_by: Follow) -> None:
        """Let *learn_by* have every one that is put here, to learn anew on top of it."""
        self._learners.append(learn_by)

    def play(self, played: PlayCorrection | None) -> None:
        """Let all listen by what was learned in play from now on, on top of the tuning."""
        with self._putting:
            if played != self.calibration.played:
                self._listen_by(replace(self.tuned, played=played))

    def put(self, calibration: Calibration) -> None:
        """Save *calibration* and let all listen by it from now on.

        What was learned in play stays on top of it until that is learned anew.

        Raises:
            TableUnavailable: It could not be saved, and the old one is still in force.
        """
        tuned = replace(calibration, played=None)
        with self._putting:
            try:
                if self._save is not None:
                    self._save(tuned)
            except (KlopleiError, OSError) as error:
                raise TableUnavailable(sentence_of(error)) from error
            self.tuned, self.trouble = tuned, None
            self._listen_by(replace(tuned, played=self.calibration.played))
        for learn_by in self._learners:
            learn_by(tuned)

    def _listen_by(self, calibration: Calibration) -> None:
        self.calibration = calibration
        for listen_by in self._followers:
            listen_by(calibration)
