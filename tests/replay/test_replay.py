"""What `kloplei replay` prints, and how files of records may be laid out."""

import pytest

from tests.replay.replayed import EXAMPLES, Terminal

SHORT = """
id: S1
players: [Ann, Bob, No]
dealer: No
start: {Ann: 8}
events:
  - {ev: deal, leader: Ann, stake: 1}
  - {ev: knock, p: Ann, stake: 2, next_to_answer: Bob}
  - {ev: knock, p: Bob, illegal: answer_pending}
  - {ev: fold, p: Bob, lives: [8, 1, 0]}
  - {ev: stay, p: No, next_to_answer: null}
  - {ev: trick, n: 4, p: No}
expected: {state: rubber_over, lives: [10, 1, 0], dealer: No, owes_drink: [Ann]}
"""


def test_json_tells_every_step_in_the_records_own_words(terminal: Terminal) -> None:
    result = terminal.replay(SHORT, "--json")

    (report,) = result.report
    assert (result.code, result.err) == (0, "")
    assert (report["id"], report["game"], len(report["steps"])) == ("S1", "toepen", 6)
    assert report["steps"][1] == {
        "lives": [8, 0, 0],
        "stake": 2,
        "phase": "answering",
        "leader": "Ann",
        "next_to_answer": "Bob",
        "armoede": [],
        "refused": None,
    }
    assert report["steps"][2]["refused"] == "answer_pending"
    assert report["steps"][5]["leader"] is None
    assert report["final"]["state"] == "rubber_over"
    assert report["final"]["owes_drink"] == ["Ann"]
    assert report["final"]["rubbers_won"] == {"No": 1}
    assert report["final"]["toepkoning"] == []


def test_the_first_difference_names_file_line_record_and_event(terminal: Terminal) -> None:
    result = terminal.replay(SHORT.replace("lives: [8, 1, 0]}", "lives: [8, 2, 0], stake: 9}"))

    first, summary = result.out.splitlines()
    assert result.code == 1
    assert first.endswith(
        "record.yaml:10: S1, event 4 (fold): expected lives [8, 2, 0], but it is [8, 1, 0]"
    )
    assert summary == "0 of 1 record hold."


def test_json_goes_on_after_a_difference(terminal: Terminal) -> None:
    result = terminal.replay(SHORT.replace("stake: 1}", "stake: 5}"), "--json")

    assert result.code == 1
    assert len(result.report[0]["steps"]) == 6
    assert "expected stake 5, but it is 1" in result.err


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (", illegal: answer_pending", "", "expected to be done, but it is refused: answer_pending"),
        ("answer_pending", "knock_limit", "with knock_limit, but the reason is answer_pending"),
        ("ev: deal,", "ev: deal, illegal: no_hand,", "to be refused (no_hand), but it is done"),
        ("owes_drink: [Ann]", "owes_drink: []", "at the end: expected owes_drink [], but it is"),
    ],
)
def test_a_difference_says_what_was_expected_and_what_came(
    terminal: Terminal, old: str, new: str, sentence: str
) -> None:
    result = terminal.replay(SHORT.replace(old, new))

    assert result.code == 1
    assert sentence in result.out.splitlines()[0]


def test_a_list_and_a_named_list_and_many_documents_are_files_of_records(
    terminal: Terminal,
) -> None:
    inner = SHORT.strip().replace("\n", "\n  ")
    for text in (
        f"- {inner}\n- {inner}\n",
        f"game: toepen\nexamples:\n- {inner}\n- {inner}\n",
        f"---\n{SHORT}\n---\n{SHORT}",
    ):
        assert terminal.replay(text).out == "2 of 2 records hold.\n"


def test_the_yaml_blocks_of_a_page_are_records_with_the_lines_of_the_page(
    terminal: Terminal,
) -> None:
    page = f"# Toepen\n\n```yaml examples\n{SHORT}```\n\n```python\nnot: [yaml\n```\n"
    page += "~~~~yaml judge\n- {id: J, plays: [[A, H7], [B, H10]], winner: A}\n~~~~\n"

    result = terminal.replay(page, name="rules.md")

    assert result.code == 1
    assert 'rules.md:23: J, the trick: expected winner "A", but it is "B"' in result.out


def test_many_files_make_one_report(terminal: Terminal) -> None:
    result = terminal.run("replay", "--json", terminal.write(SHORT), str(EXAMPLES))

    assert len(result.report) == 37


def test_judge_records_report_the_winner(terminal: Terminal) -> None:
    text = "{id: J, plays: [[A, H9], [B, H10]], folded: [B], winner: A, why: gone, so it is}"

    result = terminal.replay(text, "--json")

    assert result.code == 0
    assert result.report == [
        {"id": "J", "game": "toepen", "steps": [], "final": {"winner": "A", "card": "H9"}}
    ]


def test_words_of_yaml_stay_words(terminal: Terminal) -> None:
    """A player called No, and options written off, no or true, by YAML 1.1 or 1.2."""
    text = SHORT.replace(
        "start:",
        "options: {armoede: off, voluntary_fold: no, over_knock_while_pending: false}\nstart:",
    )

    assert terminal.replay(text).code == 0


def test_a_preset_may_stand_in_a_record(terminal: Terminal) -> None:
    text = SHORT.replace("start:", "preset: kroeg\nstart:").replace(
        "  - {ev: fold, p: Bob, lives: [8, 1, 0]}\n  - {ev: stay, p: No, next_to_answer: null}\n",
        "  - {ev: stay, p: No, next_to_answer: Bob}\n  - {ev: fold, p: Bob}\n",
    )

    assert terminal.replay(text).code == 0


def test_corrections_are_events_of_a_record(terminal: Terminal) -> None:
    text = """
id: C1
players: [A, B, C]
dealer: C
events:
  - {ev: deal}
  - {ev: trick, n: 4, p: A, lives: [0, 1, 1]}
  - {ev: correct, hand: 1, winner: B, lives: [1, 0, 1]}
  - {ev: chalk, p: C, n: 7, lives: [1, 0, 7]}
"""
    assert terminal.replay(text).code == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.yaml", "{game: watten, id: W, players: [A, B, C, D], dealer: D, events: []}"),
        ("x.yaml", "{id: W, variant: tyrol, players: [A, B, C, D], dealer: D, events: []}"),
        ("watten.yaml", "{id: W, players: [A, B, C, D], dealer: D, events: []}"),
        ("x.yaml", "examples: [{id: W, players: [A, B], dealer: A, events: []}]\ngame: watten"),
        ("x.yaml", "{id: W, schlag: 9, trump: H, plays: [[A, H7]], winner: A}"),
    ],
)
def test_a_record_of_watten_is_known_by_its_game_its_keys_or_its_file(
    terminal: Terminal, name: str, text: str
) -> None:
    result = terminal.replay(text, "--json", name=name)

    assert (result.code, result.report[0]["game"]) == (0, "watten")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.yaml", "{game: tarok, id: a, set: a, in: {players: [A, B, C], dealer: A, void: true}}"),
        ("x.yaml", "{id: b, set: b, in: {players: [A, B, C], dealer: A, void: true}}"),
        ("x.yaml", "judge:\n- {id: j01, set: a, trick: 5, cards: [10H, AH, 2H], winner: 2}"),
        ("x.yaml", "count: [{id: n03, cards: [EX], points: 4}]"),
        ("x.yaml", "{id: n, piles: {A: {size: 3}}, points: {A: 1}}"),
        ("tarok.md", "```yaml\n{id: n03, points: 4, cards: [EX]}\n```"),
        ("x.yaml", "game: tarok\njudge: [{id: T, plays: [[A, KS], [B, T2], [C, T1]], winner: B}]"),
    ],
)
def test_a_record_of_tarok_is_known_by_its_game_its_keys_or_its_file(
    terminal: Terminal, name: str, text: str
) -> None:
    result = terminal.replay(text, "--json", name=name)

    assert (result.code, result.report[0]["game"]) == (0, "tarok")


def test_a_trick_of_tarok_may_be_told_by_who_played_what(terminal: Terminal) -> None:
    text = "{game: tarok, id: T, trick: 7, plays: [[A, KS], [B, T2], [C, T1]], winner: B}"

    result = terminal.replay(text, "--json")

    assert result.report[0]["final"] == {
        "winner": "B",
        "card": "T2",
        "why": "tarok",
        "events": {"king_lost": [1], "pagat_lost": [3]},
    }


@pytest.mark.parametrize("text", ["{game: skat, id: a01}", "game: skat\nexamples: [{id: a01}]"])
def test_games_this_version_does_not_know_are_told_as_such(terminal: Terminal, text: str) -> None:
    result = terminal.replay(text)

    assert result.code == 2
    assert "This version only knows toepen, watten, tarok" in result.err
