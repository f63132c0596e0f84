"""Recordings of knocks: read as they lie on disk, and listened to as the box listens.

WAV files come in, by name or from a pipe; out go the knocks in them as lines or JSON
(docs/listen.md), and with labels a calibration of the table they were made on. One thread does
all of it, block by block, in the same little memory for any length. Read `commands` first:
`wav` opens a recording, `_listening` has the detector judge it, `labels` and `_learning` are for
``--learn``. Making recordings is `kloplei.recordings.capture`.
"""
