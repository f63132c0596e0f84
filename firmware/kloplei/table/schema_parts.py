"""The words in which JSON Schemas are written here: plain kinds, and what is made of them."""

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
SECONDS: Schema = {"type": "number", "minimum": 0}
SEAT: Schema = {"type": "integer", "minimum": 1, "description": "Seat, counted from 1"}


def ref(name: str) -> Schema:
    """Return a schema that stands under *name*."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(of: Schema, description: str) -> Schema:
    """Return a list *of* things of one kind."""
    return {"type": "array", "items": of, "description": description}


def said(schema: Schema, description: str) -> Schema:
    """Return *schema* with what it means here."""
    return {**schema, "description": description}


def object_of(description: str, *, always: dict[str, Schema], maybe: dict[str, Schema]) -> Schema:
    """Return an object with what it has *always*, and what it *maybe* has."""
    return {
        "type": "object",
        "description": description,
        "required": list(always),
        "properties": {**always, **maybe},
    }
