"""The book of people: whom the keeper renames, merges, hides, and takes over from old entries.

On the table's thread, beside what is played: no entry of the journal changes. What is remembered
of the evening is read again afterwards, and everybody sees the new name at once.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from secrets import randbelow, token_hex

from kloplei.games.game import IllegalAction, Seat
from kloplei.table._forgetting import Forgetting
from kloplei.table.actions import UnknownEntry
from kloplei.table.client import BadRequest, JournalWriteError
from kloplei.table.journal import Journal, JournalError
from kloplei.table.ledger import OF_SEATS, Ledger
from kloplei.table.people import WITH_NAMES, Alias, KnownPerson, Register, guests_in
from kloplei.table.people_client import Forgotten, Person
from kloplei.table.seating import Seating, TableState, checked_name, free_name, reads_same
from kloplei.table.timeline import holding, steps_of
from kloplei.table.uplink_client import HousePerson
from kloplei.words import Sentence
from kloplei.words.catalogue import lent_by, sentence_of
from kloplei.words.dates import by_clock

_HOUSE_IDS = 2**53 - 1  # what JavaScript counts with
_KEY_BYTES = 32


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
        self.forget_elsewhere: Callable[[Iterable[str]], object] = lambda _: None
        """Takes names away from where they are kept beside the journal, before they go there."""

    def people(self) -> tuple[Person, ...]:
        """Return all of them, whoever was seen last first."""
        seen, seats = self._ledger.sightings().seen, seats_of(self._ledger.state)
        undone, was = self._ledger.people_in_reach() - set(seen), self._merged()
        in_house = {one.id for one in self._seating.people.in_house().values()}
        told = (
            Person(
                *(one.id, one.name, one.hidden, at.seq, by_clock(at.at), seats.get(one.id)),
                was=was[one.id],
                agreed=one.id in in_house,
            )
            if (at := seen.get(one.id)) is not None
            else Person(*(one.id, one.name, one.hidden), was=was[one.id], agreed=one.id in in_house)
            for one in self._seating.people
            if one.id not in undone
        )
        return tuple(sorted(told, key=lambda one: (-(one.seq or 0), one.name.casefold())))

    def _merged(self) -> Mapping[int, tuple[int, ...]]:
        """Return who turned out to be whom, by the id that stays."""
        found: defaultdict[int, tuple[int, ...]] = defaultdict(tuple)
        for one in self._journal.people.known:
            into = self._seating.people.find(one.id) if one.merged is not None else None
            if into is not None:
                found[into.id] += (one.id,)
        return found

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
        if lent_by(called):
            raise IllegalAction("no_name")
        if self._alike(called) not in (None, found):
            raise IllegalAction("name_known", name=called)
        self._demand_free(found, called)
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
        self._demand_free(found, other.name)
        self._keep(self._with(replace(found, name="", hidden=False, merged=other.id)))

    def hide(self, person: int, hidden: bool) -> None:
        """Offer that *person* to nobody any more, or again."""
        self._keep(self._with(replace(self._find(person), hidden=hidden)))

    def agreed(self) -> tuple[HousePerson, ...]:
        """Return who agreed to be known in the house."""
        found = self._seating.people.in_house()
        return tuple(HousePerson(house, one.name) for house, one in found.items())

    def seated_in_house(self) -> set[int]:
        """Return who sits at the table, by the ids of the house."""
        found = map(self._seating.people.house_id, self._ledger.state.people.values())
        return {house for house in found if house is not None}

    def agree(self, person: int, agrees: bool) -> None:
        """Let that *person* be known in the house from now on, or no longer."""
        found, register = self._find(person), self._journal.people
        agreed = {one: house for one, house in register.agreed.items() if one != found.id}
        if agrees:
            agreed[found.id] = register.agreed.get(found.id) or 1 + randbelow(_HOUSE_IDS)
        if agreed != register.agreed:
            self._keep_for_house(replace(register, agreed=agreed))

    def take_in(self, called: Iterable[HousePerson]) -> tuple[tuple[str, int], ...]:
        """Know those whom a house calls, by its ids where they are new; return names and ids."""
        people, register = self._seating.people, self._journal.people
        known, agreed = list(register.known), dict(register.agreed)
        names = [one.name for one in people]
        in_house, found = people.in_house(), []
        for one in {each.id: each for each in called}.values():
            someone = in_house.get(one.id) or people.find(one.id)
            if someone is None:
                is_free = all(each.id != one.id for each in known)
                name = free_name(one.name, names)
                someone = KnownPerson(one.id if is_free else people.next_id, name)
                known.append(someone)
                names.append(name)
                agreed[someone.id] = one.id
            found.append((someone.name, someone.id))
        if len(known) > len(register.known):
            self._keep_for_house(replace(register, known=tuple(known), agreed=agreed))
        return tuple(found)

    def make_house_key(self) -> None:
        """Let there be a key that seals what a house could guess."""
        register = self._journal.people
        if not register.house_key:
            self._keep_for_house(replace(register, house_key=token_hex(_KEY_BYTES)))

    def adopt(self, name: str) -> int:
        """Make a person of the guest of that *name*; return the id."""
        spelled = [] if lent_by(name) else self._spelled(name)
        someone = self._alike(spelled[-1] if spelled else name)
        if someone is not None:  # evenings from paper may know by name who was no guest here
            spelled = spelled or [someone.name]
        if not spelled:
            raise IllegalAction("no_such_name", name=name)
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
            names = self._nobodies(self._names_of(found))
            gone = {KnownPerson(one, "", forgotten=True) for one in names.values()}
            forgetting = Forgetting(names, people.lent, self.beat)
            # One of another by the same name goes as well: no entry is called so any more.
            aliases = (
                one
                for one in register.aliases
                if one.person not in theirs and one.name not in forgetting.names
            )
            agreed = {one: house for one, house in register.agreed.items() if one not in theirs}
            left = replace(register, known=(*known, *gone), aliases=tuple(aliases), agreed=agreed)
            self.forget_elsewhere((found.name, *names))
            told = self._ledger.forget(forgetting, left)
        return Forgotten(*told)

    def _nobodies(self, names: Iterable[str]) -> dict[str, int]:
        """Return an id that nobody has for each of *names*, the same one for those that read so."""
        ids: dict[str, int] = {}
        for name in names:
            alike = (one for each, one in ids.items() if reads_same(each, name))
            ids[name] = next(alike, None) or self._seating.people.free_id(ids.values())
        return ids

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

    def _demand_free(self, person: KnownPerson, name: str) -> None:
        """Refuse a *name* of somebody who sits beside that *person*, or would after an undo."""
        for state in self._ledger.states:
            seat = seats_of(state).get(person.id)
            others = (each for one, each in state.names.items() if one != seat)
            checked_name(name, others if seat is not None else ())

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

    def _keep_for_house(self, register: Register) -> None:
        """Keep what changes nothing at the table: nobody is called otherwise."""
        try:
            self._journal.write_people(register)
        except JournalError as error:
            raise JournalWriteError(sentence_of(error)) from error
        self._seating.people.learn(register)

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
