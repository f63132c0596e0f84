"""Evenings of all tables: the panel's own pages of them, over the house's history."""

from kloplei_hub.web.pages import Way
from kloplei_panel.pages.history import bp

__all__ = ["WAY", "bp"]
WAY = Way("history.evenings", "way.evenings")
