"""A real Home Assistant reads a table: ``make test-home HASS=...`` runs them by name."""
