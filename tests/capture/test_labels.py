"""What labels.json says of one recording."""

import json

import pytest

from kloplei.games.game import Seat
from kloplei.recordings.capture._labels import BlowEvent, TakenLabels, entry_of, knocks_of, unseen
from kloplei.recordings.capture.protocol import ProtocolStep, steps_for
from kloplei.recordings.capture.writer import Gap

STEPS = {step.name: step for step in steps_for([Seat(at) for at in range(4)])}


def taken(step: ProtocolStep, **more: object) -> TakenLabels:
    prompts = step.beats_s
    return TakenLabels(step, f"{step.name}.wav", step.lasts_s, 4000.0, 4, prompts, **more)  # type: ignore[arg-type]


def event(at_s: float, clearness: float = 100.0, strength: float = 0.4) -> BlowEvent:
    return BlowEvent(at_s, clearness, strength)


def test_a_blow_is_labelled_where_it_was_found_beside_where_it_was_asked_for() -> None:
    step = STEPS["seat-2-soft"]
    first, second, third = step.beats_s

    entry = entry_of(taken(step), [event(first + 0.12), event(second - 0.2), event(third)])

    assert entry["onsets"] == pytest.approx([first + 0.12, second - 0.2, third])
    assert [one["prompted_at_s"] for one in entry["prompts"]] == pytest.approx(step.beats_s)
    assert [one["found_at_s"] for one in entry["prompts"]] == entry["onsets"]
    assert (entry["category"], entry["klass"], entry["seats"]) == ("knock", "soft", [1])
    assert unseen(entry) == 0


def test_a_blow_that_cannot_be_seen_is_said_to_be_so_and_made_up_nowhere() -> None:
    step = STEPS["seat-2-soft"]

    entry = entry_of(taken(step), [event(step.beats_s[1])])

    assert entry["onsets"] == pytest.approx([step.beats_s[1]])
    assert [one["found_at_s"] for one in entry["prompts"]] == [None, step.beats_s[1], None]
    assert unseen(entry) == 2


def test_a_blow_that_fell_into_a_gap_was_asked_for_at_no_time_of_the_file() -> None:
    step = STEPS["seat-1-hard"]
    cut = TakenLabels(step, "a.wav", 4.0, 4000.0, 4, (None, *step.beats_s[1:]), (Gap(2.0, 0.8),))

    entry = entry_of(cut, [event(at_s) for at_s in step.beats_s[1:]])

    assert entry["prompts"][0] == {"prompted_at_s": None, "found_at_s": None, "unseen": 1}
    assert entry["gaps"] == [{"at_s": 2.0, "missed_s": 0.8}]
    assert entry["ignore"] == [2.0, 2.02]


def test_a_train_has_all_its_knocks_and_counts_them() -> None:
    step = STEPS["seat-1-thrice"]
    first, second = step.beats_s
    three = [event(first + gap_s) for gap_s in (0, 0.26, 0.5)]
    two = [event(second), event(second + 0.3)]

    entry = entry_of(taken(step), [*three, *two])

    assert len(entry["onsets"]) == 5
    assert entry["prompts"][0]["then_found_at_s"] == pytest.approx([first + 0.26, first + 0.5])
    assert entry["patterns"] == [{"t": first, "count": 3}, {"t": second, "count": 2}]
    assert unseen(entry) == 1


def test_what_nobody_asked_for_is_neither_right_nor_wrong_to_hear() -> None:
    step = STEPS["seat-1-soft"]

    entry = entry_of(taken(step), [event(0.5), *map(event, step.beats_s)])

    assert entry["ignore"] == [0.5]


def test_a_faint_rustle_before_the_blow_is_not_taken_for_it() -> None:
    step = STEPS["seat-1-soft"]
    blows = [event(at_s) for at_s in step.beats_s]

    entry = entry_of(taken(step), [event(step.beats_s[0] - 0.3, clearness=8), *blows])

    assert entry["prompts"][0]["found_at_s"] == pytest.approx(step.beats_s[0])


def test_a_faint_rustle_after_a_knock_is_not_taken_for_the_second_of_a_train() -> None:
    step = STEPS["seat-1-twice"]
    first = step.beats_s[0]

    entry = entry_of(taken(step), [event(first), event(first + 0.3, clearness=8)])

    assert entry["onsets"] == pytest.approx([first])
    assert entry["prompts"][0]["unseen"] == 1


def test_a_train_that_begins_late_and_goes_slowly_is_still_the_one_asked_for() -> None:
    step = STEPS["seat-1-thrice"]
    first = step.beats_s[0]
    slow = [first + 0.4, first + 0.8, first + 1.2]

    entry = entry_of(taken(step), [event(at_s) for at_s in slow])

    assert entry["onsets"] == pytest.approx(slow)


def test_noises_have_no_onsets_and_say_where_they_come_from() -> None:
    step = STEPS["glass"]

    entry = entry_of(taken(step), [event(at_s) for at_s in step.beats_s])

    assert (entry["category"], entry["domain"], entry["onsets"]) == ("negative", "on_table", [])
    assert all(one["found_at_s"] is not None for one in entry["prompts"])


def test_a_blow_beyond_the_converter_is_marked() -> None:
    step = STEPS["seat-1-hard"]
    blows = [event(at_s, strength=1.0 - at) for at, at_s in enumerate(step.beats_s)]

    entry = entry_of(taken(step), blows)

    assert [one["clipped"] for one in entry["prompts"]] == [True, False, False]


def test_only_knocks_of_one_seat_are_learned_from() -> None:
    def knocks(name: str) -> list[dict[str, object]]:
        step = STEPS[name]
        return knocks_of(entry_of(taken(step), [event(at_s) for at_s in step.beats_s]))

    assert [one["seat"] for one in knocks("seat-3-soft")] == [2, 2, 2]
    assert knocks("together-1-2") == knocks("glass") == []


def test_it_is_json() -> None:
    for step in STEPS.values():
        entry = entry_of(taken(step, is_cut_short=True, complaints=("so",)), [event(2.5)])

        assert json.loads(json.dumps(entry, allow_nan=False)) == entry
        assert entry["cut_short"] is True
