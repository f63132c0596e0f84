"""Answers that are true now and never again."""

from flask import Response


def fresh(answer: Response) -> Response:
    """Return *answer*, marked so that no browser and no proxy gives it a second time."""
    answer.headers["Cache-Control"] = "no-store"
    return answer
