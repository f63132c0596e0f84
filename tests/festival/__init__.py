"""Whole houses, for minutes, broken on purpose: ``make test-hub`` runs them by name."""
