"""The answers for programs: ``/api/v1``, ``/slate.png``, and the hooks of the demo."""
