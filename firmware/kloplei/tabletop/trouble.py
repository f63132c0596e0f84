"""What is on a wire and never was a blow: a loose plug, a spark, sound through the air."""

from math import pi, sin, sqrt
from random import Random

from kloplei.tabletop.converter import MAINS_HZ, Trouble
from kloplei.tabletop.table_top import TRIM

AIRBORNE_DB = -58.0  # a loud voice at a glued disc, beside a usual knock
VOICE_HZ = (150.0, 2500.0)
TONES = 24  # that sound at once
SWELLS_HZ = 1.9  # applause and music come and go about twice a second


def loose_plug(channel: int, level: float = 0.8) -> Trouble:
    """Return the hum of a plug that hangs in the air on *channel*: loud and not round."""

    def hum(at_channel: int, at_s: float) -> float:
        if at_channel != channel:
            return 0.0
        turn = 2 * pi * MAINS_HZ * at_s
        return level * (sin(turn) + 0.3 * sin(3 * turn + 1) + 0.1 * sin(5 * turn + 2))

    return hum


def spike(channel: int, at_s: float, level: float = 0.9, lasting_s: float = 0.0002) -> Trouble:
    """Return an electric spark on the wire of *channel*, shorter than a sample or about one."""

    def spark(at_channel: int, now_s: float) -> float:
        return level if at_channel == channel and 0 <= now_s - at_s < lasting_s else 0.0

    return spark


def airborne(seed: int = 0, above_voice_db: float = 0.0) -> Trouble:
    """Return what reaches the discs through the air: applause and music, in waves of loudness.

    A loud voice lies `AIRBORNE_DB` below a knock; *above_voice_db* makes it louder.
    """
    luck = Random(f"air {seed}")
    tones = [(luck.uniform(*VOICE_HZ), luck.uniform(0, 2 * pi)) for _ in range(TONES)]
    level = TRIM * 10 ** ((AIRBORNE_DB + above_voice_db) / 20) / sqrt(TONES)

    def sound(_channel: int, at_s: float) -> float:
        swell = 1 + 0.5 * sin(2 * pi * SWELLS_HZ * at_s)
        return level * swell * sum(sin(2 * pi * hz * at_s + phase) for hz, phase in tones)

    return sound
