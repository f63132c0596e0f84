"""Kloplei: hears a knock on the wood and keeps the slate of a card table."""

__version__ = "0.1.0"
