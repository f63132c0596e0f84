"""The words in which addresses are described: operations, answers, and what goes wrong."""

from collections.abc import Mapping, Sequence

from kloplei.table.schema_parts import TEXT, Schema, ref

JSON = "application/json"
NOT_ALLOWED = "Not allowed: not paired, or posted by another site"
SAID: Mapping[int, str] = {
    403: NOT_ALLOWED,
    413: "Too large",
    415: "Not JSON",
    429: "Too much at once for a phone that may only look; Retry-After says how long to wait",
}
"""What a status means wherever it is answered."""


def op(
    name: str, summary: str, good: Schema, said: Mapping[int, str], errors: Sequence[int] = ()
) -> Schema:
    """Return the operation *name* with its *good* answers, and *errors* as *said*."""
    problems = {
        str(status): body({**SAID, **said}[status], ref("Refusal" if status == 409 else "Problem"))
        for status in sorted({*errors, *([429] if 403 in errors else [])})
    }
    return {"operationId": name, "summary": summary, "responses": {**good, **problems}}


def as_it_stands(schema: Schema) -> Schema:
    """Return the answer that holds *schema*, and nothing else could be said of it."""
    return {"200": body("As it stands", schema)}


def body(said: str, schema: Schema, kind: str = JSON) -> Schema:
    """Return an answer of *kind* that holds *schema*."""
    return {"description": said, "content": {kind: {"schema": schema}}}


def takes(schema: Schema) -> Schema:
    """Return the body that has to be sent along."""
    return {"required": True, "content": {JSON: {"schema": schema}}}


def whole(properties: Schema) -> Schema:
    """Return an object that has all of *properties*."""
    return {"type": "object", "required": list(properties), "properties": properties}


def query(name: str, least: int, most: int, default: int) -> Schema:
    """Return a number that may stand behind the question mark."""
    schema = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return {"name": name, "in": "query", "schema": schema}


def in_path(name: str, description: str, schema: Schema = TEXT) -> Schema:
    """Return a part of the address."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
    }
