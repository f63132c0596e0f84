"""The caller: says aloud what happens at the table, short, as in darts; off unless one asks for it.

`calls` is pure: a moment (`kloplei.games.moments`) becomes an `Utterance`, made of pieces that a
pack of clips has, in one of several wordings. `packs` finds the sound of each piece: a clip that
was rendered with the package or said by somebody of the house, a name that espeak-ng says; `clips`
reads and writes them, and makes one of what somebody says. `recorded` keeps what a house says
itself, and whether somebody hushed the caller: every box has that one, and loads no other until a
caller is asked for. `caller` follows the table, and on a thread of its own says what is most
urgent, is still news and disturbs no pattern that grows. What makes the sound is handed in
(`kloplei.devices.audio`). Read `calls` first; the words stand in ``words/*/LC_MESSAGES/voice.po``.
"""
