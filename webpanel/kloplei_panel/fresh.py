"""Answers that are true now and never again: pages for people, JSON for programs."""

from flask import Response, jsonify, make_response, render_template

from kloplei.table.schema import WORLD, dump


def fresh(answer: Response) -> Response:
    """Return *answer*, marked so that no browser and no proxy gives it a second time."""
    answer.headers["Cache-Control"] = "no-store"
    return answer


def fresh_page(template: str, status: int = 200, /, **told: object) -> Response:
    """Return the page that *template* makes of all that is *told*."""
    return fresh(make_response(render_template(template, **told), status))


def fresh_json(told: object) -> Response:
    """Return all that is *told* as JSON, as the world writes it."""
    return fresh(jsonify(dump(told, form=WORLD)))
