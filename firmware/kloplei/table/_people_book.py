"""The book of people: whom the keeper renames, merges, hides, and takes over from old entries.

On the table's thread, beside what is played: no entry of the journal changes. What is remembered
of the evening is read again afterwards, and everybody sees the new name at once.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from kloplei.games.game import IllegalAction, Seat
from kloplei.table._forgetting import Forgetting
from kloplei.table.actions import UnknownEntry
from kloplei.table.client import BadRequest, JournalWriteError
from kloplei.table.journal import Journal, JournalError
from kloplei.table.ledger import OF_SEATS, Ledger
from kloplei.table.people import WITH_NAMES, Alias, KnownPerson, Register, guests_in
from kloplei.table.people_client import Forgotten, Person
from kloplei.table.seating import Seating, TableState, checked_name, reads_same
from kloplei.table.timeline import holding, steps_of
from kloplei.words import Sentence
from kloplei.words.catalogue import lent_by, sentence_of
from kloplei.words.dates import by_clock


def seats_of(state: TableState) -> dict[int, Seat]:
    """Return where each person sits."""
    return {person: seat for seat, person in state.people.items()}


class PeopleBook:
    """A `kloplei.table.people_client.PeopleClient` for the table's own thread.

    Args:
        ledger: What stands, and what was played.
        journal: Keeps who is known.
        seating: Knows the places, and what a name may be.
        changed: Called when somebody is called otherwise.
    """

    def __init__(
        self, ledger: Ledger, journal: Journal, seating: Seating, changed: Callable[[], None]
    ) -> None:
        self._ledger = ledger
        self._journal = journal
        self._seating = seating
        self._changed = changed
        self.beat: Callable[[], object] = lambda: None
        """Called now and then by what takes long, for a watchdog."""

    def people(self) -> tuple[Person, ...]:
        """Return all of them, whoever was seen last first."""
        seen, seats = self._ledger.sightings().seen, seats_of(self._ledger.state)
        undone = self._ledger.people_in_reach() - set(seen)
        told = (
            Person(one.id, one.name, one.hidden, at.seq, by_clock(at.at), seats.get(one.id))
            if (at := seen.get(one.id)) is not None
            else Person(one.id, one.name, one.hidden)
            for one in self._seating.people
            if one.id not in undone
        )
        return tuple(sorted(told, key=lambda one: (-(one.seq or 0), one.name.casefold())))

    def offered(self, seat: Seat) -> tuple[Person, ...]:
        """Return who may sit down at *seat*."""
        if not 0 <= seat < self._seating.seats:
            raise BadRequest(Sentence("no-such-seat", seats=self._seating.seats))
        last = self._ledger.sightings().last.get(seat)
        free = [one for one in self.people() if not (one.hidden or one.seat is not None)]
        return tuple(sorted(free, key=lambda one: one.id != last))

    def rename(self, person: int, name: str) -> None:
        """Call that *person* something else."""
        found, called = self._find(person), checked_name(name, ())
        if self._alike(called) not in (None, found):
            raise IllegalAction("name_known", name=called)
        for state in self._ledger.states:  # an undo is not to bring two of one name together
            seat = seats_of(state).get(found.id)
            others = (each for one, each in state.names.items() if one != seat)
            checked_name(called, others if seat is not None else ())
        self._keep(self._with(replace(found, name=called)))

    def merge(self, person: int, into: int) -> None:
        """Let that *person* be the same as another one."""
        found, other = self._find(person), self._find(into)
        if found == other:
            raise IllegalAction("same_person", name=found.name)
        for state in self._ledger.states:
            seats = seats_of(state)
            if found.id in seats and other.id in seats:
                raise IllegalAction("sat_together", name=found.name, other=other.name)
        self._keep(self._with(replace(found, name="", hidden=False, merged=other.id)))

    def hide(self, person: int, hidden: bool) -> None:
        """Offer that *person* to nobody any more, or again."""
        self._keep(self._with(replace(self._find(person), hidden=hidden)))

    def adopt(self, name: str) -> int:
        """Make a person of the guest of that *name*; return the id."""
        spelled = [] if lent_by(name) else self._spelled(name)
        if not spelled:
            raise IllegalAction("no_such_name", name=name)
        someone = self._alike(spelled[-1])
        if someone is None:
            someone = KnownPerson(self._seating.people.next_id, spelled[-1])
        self._demand_one_seat(someone, spelled)
        before, upto = self._with(someone), self._journal.last_seq
        added = tuple(Alias(each, someone.id, upto) for each in spelled)
        named = {(one.name, one.person) for one in added}
        others = (one for one in before.aliases if (one.name, one.person) not in named)
        self._keep(replace(before, aliases=(*others, *added)))
        return someone.id

    def forget(self, person: int) -> Forgotten:
        """Take the name of that *person* off the box, for good."""
        found, register = self._find(person), self._journal.people
        people = self._seating.people
        theirs = {one.id for one in register.known if people.find(one.id) == found}
        known = (
            KnownPerson(one.id, "", forgotten=True) if one.id in theirs else one
            for one in register.known
        )
        with self._kept():
            forgetting = Forgetting(self._names_of(found), people.lent, self.beat)
            # One of another by the same name goes as well: no entry is called so any more.
            aliases = (
                one
                for one in register.aliases
                if one.person not in theirs and one.name not in forgetting.names
            )
            left = replace(register, known=tuple(known), aliases=tuple(aliases))
            told = self._ledger.forget(forgetting, left)
        return Forgotten(*told)

    def _names_of(self, person: KnownPerson) -> frozenset[str]:
        """Return what that *person* was called as a guest, in any entry."""
        people = self._seating.people
        own = {
            one.name for one in self._journal.people.aliases if people.find(one.person) == person
        }
        names = set(self._spelled(person.name, *own))
        called: dict[Seat, str] = {}
        for entry in holding(steps_of(self._journal.entries(facts_of=OF_SEATS)), OF_SEATS):
            facts = entry.facts
            match entry.event:
                case "Swapped":
                    moved = {Seat(facts["seat"]): Seat(facts["of"])}  # type: ignore[call-overload]
                    moved |= {to: seat for seat, to in moved.items()}
                    called = {moved.get(seat, seat): name for seat, name in called.items()}
                case "Recognised" if people.find(facts["person"]) == person:  # type: ignore[arg-type]
                    names.add(called.get(Seat(facts["seat"]), ""))  # type: ignore[call-overload]
                case _:
                    called |= dict(guests_in(entry.event, facts))
        return frozenset(one for one in names if one and not lent_by(one))

    def _demand_one_seat(self, someone: KnownPerson, spelled: list[str]) -> None:
        for state in self._ledger.states:
            guests = (name for one, name in state.names.items() if one not in state.people)
            if someone.id in seats_of(state) and any(name in spelled for name in guests):
                raise IllegalAction("sat_together", name=spelled[-1], other=someone.name)

    def _spelled(self, *names: str) -> list[str]:
        """Return how guests of those *names* were called in entries, the last way last."""
        entries = self._journal.entries(facts_of=WITH_NAMES)
        return list(
            dict.fromkeys(
                each
                for entry in entries
                for _, each in guests_in(entry.event, entry.facts)
                if any(reads_same(each, one) for one in names)
            )
        )

    def _find(self, person: int) -> KnownPerson:
        found = self._seating.people.find(person)
        if found is None:
            raise IllegalAction("no_such_person")
        return found

    def _alike(self, name: str) -> KnownPerson | None:
        return next((one for one in self._seating.people if reads_same(one.name, name)), None)

    def _with(self, changed: KnownPerson) -> Register:
        register = self._journal.people
        others = (one for one in register.known if one.id != changed.id)
        return replace(register, known=(*others, changed))

    def _keep(self, register: Register) -> None:
        with self._kept():
            self._ledger.keep_people(register)

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except JournalError as error:
            raise JournalWriteError(sentence_of(error)) from error
        except (LookupError, TypeError, UnknownEntry) as error:  # of what was never written so
            damaged = Sentence("journal-damaged", path=str(self._journal.path))
            raise JournalWriteError(damaged) from error
        self._changed()
