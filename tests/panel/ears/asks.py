"""What the tests of the ears' page and its interface ask."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Judgement
from kloplei.review.suggest import SuggestionWorker
from tests.panel.conftest import Phone

EVENTS = "/api/v1/ears/events"


def event(page: str, number: int) -> str:
    """Return what the page shows of event *number*."""
    found = re.search(rf'<li id="event-{number}".*?</li>', page, re.DOTALL)
    assert found is not None, page
    return found[0]


def post(phone: Phone, path: str, **fields: str) -> tuple[int, str]:
    response = phone.client.post(f"/ears/{path}", data=fields, headers=phone.headers)
    return response.status_code, response.text


@contextmanager
def long_thought() -> Iterator[SuggestionWorker]:
    """Yield a weighing that comes to no answer before the end."""
    over = threading.Event()

    def rejudge(judged: Judgement, _: Calibration) -> Judgement:
        over.wait()
        return judged

    weighing = SuggestionWorker(rejudge, pause_s=0, patience_s=0)
    try:
        yield weighing
    finally:
        over.set()
        weighing.close()


def suggested(phone: Phone) -> str:
    """Mark the doubtful one as noise; return the id of what follows."""
    phone.client.post(f"{EVENTS}/2/mark", json={"was": "noise"})
    answer = phone.get("/api/v1/ears/suggestion").get_json()["suggestion"]
    return str(answer["id"])
