"""The table unit: journal, session, slate and box, built in order and closed in reverse.

`kloplei run` and the demo differ in nothing but the pins and the glass they hand in.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kloplei.config.settings import JOURNAL, Config
from kloplei.games.scoreboard import Scoreboard
from kloplei.keys import KeysUnreadable, PanelKeys, new_evening, renew_key
from kloplei.knock.calibration import Calibration
from kloplei.network.addresses import JoinAddress, JoinAddressWatcher
from kloplei.review.calibrations import CalibrationArchive, CalibrationStore, TuningUnkept
from kloplei.review.lessons import LessonArchive, LessonBook
from kloplei.review.service import ReviewService
from kloplei.review.suggest import Reclassifier, SuggestionWorker, learn_anew, learn_more
from kloplei.review.tuning import TableTuning, setup_of, wood_setup_of
from kloplei.slate.painter import Painter
from kloplei.slate.picture import DisplaySettings
from kloplei.table.client import LearnsNothing, show_all
from kloplei.table.gestures import Timings
from kloplei.table.guide import GUIDE_S, Guide, GuideFile, follow_guide
from kloplei.table.journal import Journal
from kloplei.table.journal_file import FORMER
from kloplei.table.messages import Announced, PartFailed, PartHealed, Trouble
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.voice.recorded import HushSwitch, RecordedVoice
from kloplei.words import Words

if TYPE_CHECKING:
    from gpiozero import Factory

    from kloplei.devices.box import Box
    from kloplei.devices.schedule import Schedule
    from kloplei.diagnostics.doctor import TableDoctor
    from kloplei.knock.judgement import Hearer
    from kloplei.recordings.capture.protocol import ProtocolStep
    from kloplei.voice.caller import Caller

logger = logging.getLogger(__name__)
EARS = "ears.db"
TUNING = "tuning"  # what a file that cannot be used is called on slate and phones


class TableUnit:
    """Everything of the box except the web; a context manager.

    Its *ears* take what the sensors find, and its *calibrations* hold what the table has taught.

    Args:
        config: Settings of the box.
        data: Folder of the journal, made if it is missing.
        timings: Times of gestures; None for those of *config*.
        join_address: Tells how phones get here now, which the slate shows and follows; None shows
            nothing of it.
        keys: PIN and code that let a phone in, shown with it; None where none is needed. Whenever
            an evening begins new ones are kept in *data*.
        keys_replaced: Whether the phones' keys were damaged and made anew, which is told.
        open_slate: Opens the glass; None for the OLED of *config*.
        greeted: Gives the OLED of *config* on which a greeting stands, or None where it does not.
        pin_factory: The pins; None for those of *config*.
        schedule: The clock of table and devices; None for the real one.
        oblige: Told each step of a recording and when it began, for people who are not there.
        overhear: Gets the hearer that the sensors are to hand in to, and returns the one
            they do hand in to; None leaves it at that. For onlookers.
        on_loop: Called whenever the table's thread has come round, for a watchdog.
        beat_s: It comes round after so many seconds even if nothing happens.

    Raises:
        JournalError: The journal cannot be opened, or another table owns it.
    """

    def __init__(
        self,
        config: Config,
        data: Path,
        *,
        timings: Timings | None = None,
        join_address: Callable[[], JoinAddress] | None = None,
        keys: PanelKeys | None = None,
        keys_replaced: bool = False,
        open_slate: Callable[[], Any] | None = None,
        greeted: Callable[[], Any] | None = None,
        pin_factory: "Factory | None" = None,
        schedule: "Schedule | None" = None,
        overhear: "Callable[[Hearer], Hearer] | None" = None,
        oblige: "Callable[[ProtocolStep, float], None] | None" = None,
        on_loop: Callable[[], None] | None = None,
        beat_s: float | None = None,
    ) -> None:
        self.config = config
        self._oblige = oblige
        self._overhear = overhear
        self._greeted = greeted
        self._join_address = join_address
        self._look = _look(config, keys, None if join_address is None else join_address())
        self._looking = threading.Lock()
        self._changes_keys = keys is not None
        self._pin_factory = pin_factory
        self._schedule = schedule
        self._now_s = schedule.now_s if schedule else time.monotonic
        self._box: Box | None = None
        self._followers: list[threading.Thread] = []
        self._opened = ExitStack()
        with ExitStack() as opening:
            self.journal = opening.enter_context(Journal(data / JOURNAL))
            self.session = Session(
                self.journal,
                _setup_of(config, timings),
                clock=self._now_s,
                on_loop=on_loop,
                beat_s=beat_s,
            )
            self._caller: Caller | None = None
            self._hush = HushSwitch(data)
            self._archive = CalibrationArchive(data)
            self.calibrations = self._taught()
            self.ears = self._new_ears(data)
            self.session.ears = self.ears
            self.session.tell_fate = self.ears.became
            self.session.door.fit_key(lambda: renew_key(data))
            self._fit_tuning(config, opening)
            self._guide = self._guide_of(data) if config.table.guide else None
            if keys_replaced:
                self.session.put(PartFailed("keys", "", Trouble.KEYS))
            self.painter = self._new_painter(open_slate)
            if config.slate.driver == "none":
                self.session.draw_frame = self.painter.look
            self._opened = opening.pop_all()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.push(self._opened)
            opening.callback(self._wait_for_followers)  # they end with the session
            opening.enter_context(self.session)
            # The slate greets while gpiozero is still being imported, unless it needs pins.
            parts = [self._open_slate, self._open_box]
            if self.config.slate.interface == "spi":
                parts.reverse()
            for open_part in parts:
                open_part(opening)
            self._fit_voice(opening)
            self.session.doctor = self._doctor()
            self._fit_recorder(opening)
            self._fit_history(opening)
            self._fit_outbox()
            self._follow_guide()
            if self._join_address is not None:
                opening.enter_context(
                    JoinAddressWatcher(self._join_address, lambda now: self._show(join=now))
                )
            if self._changes_keys:
                renew = partial(self._begin_evening, self.journal.path.parent)
                self._accompany("kloplei-evenings", _Evenings(self.session, renew).run)
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def why_deaf(self) -> str | None:
        """Why no sensor of the box hears anything, None where one does."""
        return None if self._box is None else self._box.why_deaf

    def _new_ears(self, data: Path) -> ReviewService:
        config = self.config
        return ReviewService(
            self.session,
            seats=config.table.seats,
            store=self.calibrations,
            worker=SuggestionWorker(self._reclassifier().rejudge, learn_more),
            keep=config.ears.keep,
            path=data / EARS,
            lessons=LessonBook(
                self.calibrations,
                LessonArchive(data),
                clock=self._now_s,
                learns_nothing=_why_unlearned(config),
            ),
            clock=self._now_s,
            expects=(lambda: self.session.expectation) if config.ears.heeds_game else None,
            speaks=lambda at_s: self._caller is not None and self._caller.speaks(at_s),
        )

    def _new_painter(self, open_slate: Callable[[], Any] | None) -> Painter:
        """Return who paints on what *open_slate* opens; None is for the OLEDs of the settings."""
        config = self.config
        has_second = open_slate is None and bool(config.slates[1:])
        return Painter(
            self.session.onlookers,
            None if config.slate.driver == "none" else open_slate or self._open_oled,
            Words(config.slate_language),
            self._look,
            inbox=self.session,
            show=self.session.show,
            clock=self._now_s,
            open_second=self._open_second if has_second else None,
            covers=open_slate is None,  # a glass of paper is looked at from afar alone
        )

    def _fit_tuning(self, config: Config, opening: ExitStack) -> None:
        setup = setup_of(config)
        if setup is None:
            return
        tuning = TableTuning(
            setup,
            self.session,
            self.calibrations,
            self._archive,
            self._reclassifier().rejudge,
            learn_anew,
            wood=wood_setup_of(config),
            clock=self._now_s,
        )
        opening.callback(tuning.close)
        self.ears.fit_tuner(tuning)

    def _fit_recorder(self, opening: ExitStack) -> None:
        if self._box is None or not self.config.piezos:
            return
        from kloplei.recordings.capture.recorder import recorder_of

        recorder = recorder_of(
            self.config,
            self._box,
            self.journal.path.parent,
            self.session,
            self.painter,
            clock=self._now_s,
            oblige=self._oblige,
        )
        opening.callback(recorder.close)
        self.session.recordings = recorder
        self.ears.is_recorded = lambda: recorder.is_under_way

    def _fit_voice(self, opening: ExitStack) -> None:
        calls, data = self.config.voice.calls, self.journal.path.parent
        # Screens and phones call out as well, where they are told to: a hush is theirs, too.
        language = self.config.voice_language if calls else None
        recorded = RecordedVoice(data, language, self._hush.is_quiet)
        self.session.voice = recorded
        self.session.knock_hush = partial(self._hush.turn, self.session)
        # What a restore replaced lies beside it, and would come back with it.
        former = RecordedVoice(data / FORMER)

        def forget(names: Iterable[str]) -> None:
            gone = tuple(names)
            recorded.forget_names(gone)
            former.forget_names(gone)

        self.session.forget_elsewhere(forget)
        if calls:
            self._fit_caller(opening, recorded)

    def _fit_caller(self, opening: ExitStack, recorded: RecordedVoice) -> None:
        from kloplei.devices.audio import Loudspeaker
        from kloplei.voice.caller import Caller
        from kloplei.voice.calls import Phrasing
        from kloplei.voice.packs import PACKS, speech_in

        voice, language = self.config.voice, self.config.voice_language
        caller = Caller(
            Phrasing(language, names=voice.names),
            partial(speech_in, language, (recorded.folder, PACKS)),
            Loudspeaker(voice.device),
            self.session,
            volume=voice.volume / 100,
            clock=self._now_s,
        )
        opening.callback(caller.close)
        caller.hush(self._hush.is_quiet())
        self._hush.silence = caller.hush
        self._caller = caller
        caller.follow(self.session.onlookers)

    def _fit_history(self, opening: ExitStack) -> None:
        from kloplei.history.service import HistoryService

        history = HistoryService(
            self.journal.path, announce=lambda lines: self.session.put(Announced(lines))
        )
        opening.callback(history.close)
        self.session.history = history
        boards = self.session.follow()
        self._accompany("kloplei-history", partial(history.follow, boards))

    def _fit_outbox(self) -> None:
        from kloplei.table.outbox import Outbox

        self.session.uplink.fit_outbox(Outbox(self.journal.path))

    def _guide_of(self, data: Path) -> Guide:
        is_new = self.session.scoreboard().seq == 0
        return Guide(wanted=GuideFile(data).is_wanted(is_new=is_new))

    def _follow_guide(self) -> None:
        if self._guide is None:
            return
        table, file = self.session.onlookers, GuideFile(self.journal.path.parent)
        follow = partial(follow_guide, self._guide, table, self.session, file)
        self._accompany("kloplei-guide", follow)

    def _accompany(self, name: str, follow: Callable[[], None]) -> None:
        """Let *follow* go with the table on a thread of its own, until the session ends."""
        thread = threading.Thread(target=follow, name=name, daemon=True)
        thread.start()
        self._followers.append(thread)

    def _wait_for_followers(self) -> None:
        """Wait until nobody who follows the table reads or writes beside the journal any more."""
        for thread in self._followers:
            thread.join(_PATIENCE_S)

    def _explain(self) -> None:
        """Lead the table through its next hand, from what it waits for now."""
        if self._guide is not None:
            self._guide.begin()
            if line := self._guide.next(self.session.scoreboard()):
                self.session.put(Announced((line,), lasts_s=GUIDE_S, gives_way=True))

    def _doctor(self) -> "TableDoctor":
        from kloplei.diagnostics.doctor import doctor_of

        here = replace(self.config.table, data=self.journal.path.parent)
        return doctor_of(
            replace(self.config, table=here),
            self.session,
            painter=self.painter,
            ears=self.ears,
            box=lambda: self._box,
            url=lambda: (self._join_address and self._join_address().url) or "",
            is_virtual=self._pin_factory is not None,
            guide=self._explain if self._guide else None,
            silence=self._hush.keep,
            clock=self._now_s,
        )

    def _reclassifier(self) -> Reclassifier:
        return Reclassifier([seat for _, seat in self.config.piezos], self.config.geometry_by)

    def _taught(self) -> CalibrationStore:
        """Return what the table was taught; a file that cannot be used is named and left alone."""
        try:
            store = CalibrationStore(self._archive.load(), self._archive.save)
        except TuningUnkept as error:
            logger.warning("%s", error)
            self.session.put(PartFailed(TUNING, error.sentence))
            store = CalibrationStore(Calibration(), self._archive.save, error.sentence)
        # What is learned in play mends no file: only a tuning does.
        store.follow_tuning(lambda _: self.session.put(PartHealed(TUNING)))
        return store

    def _open_slate(self, opening: ExitStack) -> None:
        self.painter.start()
        opening.callback(self.painter.close)

    def _begin_evening(self, data: Path) -> None:
        """Let nobody in any more by what stood on the slate another evening."""
        try:
            keys = new_evening(data)
        except KeysUnreadable as error:
            logger.warning("%s. PIN and code of the evening before still let phones in", error)
        else:
            self._show(pin=self.config.panel.pin or keys.evening_pin, code=keys.evening_code)

    def _show(self, **changed: Any) -> None:
        with self._looking:
            self._look = replace(self._look, **changed)
            self.painter.use(self._look)

    def _open_box(self, opening: ExitStack) -> None:
        from kloplei.devices.box import Box

        opening.enter_context(self.ears)
        hearer: Hearer = self.ears
        self._box = Box(
            self.config,
            self.session,
            pin_factory=self._pin_factory,
            schedule=self._schedule,
            hearer=self._overhear(hearer) if self._overhear else hearer,
            calibration=self.calibrations.calibration,
        )
        self.calibrations.follow(self._listen_by)
        opening.callback(self._box.close)
        self._box.follow(self.session.onlookers)

    def _listen_by(self, calibration: Calibration) -> None:
        if self._box is not None:
            self._box.calibrate(calibration)

    def _open_oled(self) -> Any:
        greeted, self._greeted = self._greeted, None
        if greeted is not None and (glass := greeted()) is not None:
            return glass
        if self._box is not None:
            return self._box.open_slate()
        from kloplei.devices.oled import open_slate

        return open_slate(self.config.slate)

    def _open_second(self) -> Any:
        if self._box is not None:
            return self._box.open_slate(1)
        from kloplei.devices.oled import open_slate

        return open_slate(self.config.slates[1])


def _setup_of(config: Config, timings: Timings | None) -> TableSetup:
    """Return how the table of *config* begins; *timings* take the place of those there."""
    table = config.table
    return TableSetup(
        seats=table.seats,
        game=table.game,
        preset=table.preset,
        options=table.options,
        language=table.language,
        undo=table.undo,
        suits=table.suits,
        timings=timings or config.timing.of_table,
    )


def _why_unlearned(config: Config) -> LearnsNothing | None:
    """Return why a table of *config* learns nothing of play, None where it does."""
    if not config.piezos:
        return "edges" if config.pads else "deaf"
    return None if config.ears.keep else "keep"


_NIGHT_S = 8 * 3600.0
_PATIENCE_S = 2.0  # with each who still reads when the table closes


class _Evenings:
    """Tells when an evening begins: somebody says so, or plays after a night.

    Whom a house calls for the next round of a tournament goes on with the evening of the table: of
    those the first one tells alone.

    Args:
        table: What is followed.
        begin: Called at each beginning.
    """

    def __init__(self, table: Session, begin: Callable[[], None]) -> None:
        self._table = table
        self._begin = begin
        self._has_begun = False
        self._seq, self._played_s = table.scoreboard().seq, time.monotonic()

    def run(self) -> None:
        """Follow the table until it closes."""
        show_all(self._table.onlookers, self._see, lambda: False, "who tells when evenings begin")

    def _see(self, board: Scoreboard) -> None:
        if board.seq == self._seq:
            return
        if time.monotonic() - self._played_s > _NIGHT_S or self._is_said(self._seq):
            self._has_begun = True
            self._begin()
        self._seq, self._played_s = board.seq, time.monotonic()

    def _is_said(self, after: int) -> bool:
        said = [
            step.seq
            for step in self._table.log()
            if step.seq > after and step.line.key == "news.evening"
        ]
        return any(not self._has_begun or seq != self._table.called_evening for seq in said)


def _look(config: Config, keys: PanelKeys | None, join: JoinAddress | None) -> DisplaySettings:
    return DisplaySettings(
        slate=config.slate,
        glass=config.slate.glass,
        join=join,
        pin=None if keys is None else config.panel.pin or keys.evening_pin or keys.pin,
        code="" if keys is None else keys.evening_code,
    )
