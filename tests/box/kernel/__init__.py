"""A guest with real kernel pins, and what is played in it."""
