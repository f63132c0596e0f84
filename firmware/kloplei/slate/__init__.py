"""The slate: a scoreboard becomes a picture, and it stands on a glass that may come and go.

In comes what the table shows (`TableClient.follow`); out go frames, to one OLED or two and to
whoever looks from afar. `painter` owns the thread: it waits for the table, asks its `Presenter`
what has to stand now and until when, and brings the `Display` to show it; I2C errors never end the
evening. `picture` chooses the face and puts the board into words; `faces` draw it, on the sheets
and in the letters of `drawing`. Nothing here asks for the time but the painter: all others are told
it. The first picture of a start waits for no QR code, no web server and no game. Read `picture`
first, then `faces`.
"""
