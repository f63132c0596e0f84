"""What the units of the box promise, asked in this process."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from kloplei import systemd
from kloplei.cli.main import main
from kloplei.table.rpc import JsonLineConnection
from kloplei_panel import server

PAGES = ("/", "/tv", "/slate.png", "/api/v1/scoreboard")


def test_pages_wait_two_seconds_together_for_a_table_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of these seconds passes here: the wire only says how long it would have waited."""
    waited_s: list[float | None] = []
    answers: list[int] = []
    serving: list[Any] = []

    def silence(_: JsonLineConnection, within_s: float | None = None) -> None:
        waited_s.append(within_s)
        raise TimeoutError("nothing was said in time")

    def serves(app: Any, *_: object, **__: object) -> AbstractContextManager[None]:
        serving.append(app)
        return nullcontext()

    @contextmanager
    def until_asked() -> Iterator[Callable[[], None]]:
        yield lambda: answers.extend(
            serving[0].test_client().get(page).status_code for page in PAGES
        )

    monkeypatch.setattr(JsonLineConnection, "receive_line", silence)
    monkeypatch.setattr(systemd, "wait_for_signal", until_asked)
    monkeypatch.setattr(server, "Server", serves)
    config = tmp_path / "kloplei.toml"
    config.write_text(
        f'[table]\ndata = "{tmp_path}"\n[socket]\npath = "{tmp_path / "table.sock"}"\n'
        "[panel]\nlocked = false\n"
    )
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(tmp_path / "table.sock"))
        hanging.listen()

        main(["panel", "--config", str(config)])

    assert waited_s == [2.0]
    assert set(answers) == {503}
