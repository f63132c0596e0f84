"""The one owner of state: one inbox, one thread, journal first, then show."""
