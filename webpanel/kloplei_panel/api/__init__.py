"""The answers for programs: ``/api/v1``, ``/slate.png``, and the hooks of the demo.

A module is a blueprint: it reads the request, asks the table, and answers with what the seam's
dataclasses hold, as `kloplei.table.schema` writes it for the world. `openapi` describes them all.
"""
