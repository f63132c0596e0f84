"""The games, pure: no clock, no pins, no sockets, no randomness."""
