"""Recordings of knocks: read as they lie on disk, and listened to as the box listens."""
