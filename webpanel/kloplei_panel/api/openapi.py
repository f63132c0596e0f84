"""The HTTP interface described (OpenAPI 3.1)."""

from flask import Blueprint

bp = Blueprint("openapi", __name__)
