"""The word on the slate and on the phone that asks to be let in: which phone is it?

Short enough to fill the slate, plain to read aloud over a bar, and no two of them alike at a
glance. They are words of the house in every language.
"""

WORDS = (
    "BIERTJE", "KROKET", "BORREL", "FRIKADEL", "POMPOEN", "KANDELAAR", "ZEILBOOT", "JUKEBOX",
    "VIOOL", "GARNAAL", "HARING", "MOSTERD", "PINDA", "WORSTJE", "DARTPIJL", "TAPKRAAN",
    "LANTAARN", "ACCORDEON", "UILTJE", "EEKHOORN", "SCHUIM", "DOBBER", "NOOTJE", "KAASPLANK",
    "STAMGAST", "WINDMOLEN", "RADIJS", "AUGURK", "VLIEGER", "TROMMEL", "HOEFIJZER", "KOETS",
)  # fmt: skip
