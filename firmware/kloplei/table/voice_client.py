"""The caller as pages and commands see it: what a house has said itself. `VoiceClient`."""

from collections.abc import Mapping
from typing import Annotated, Protocol

from kloplei.frozen import dataclass
from kloplei.table.client import ShortText, absent
from kloplei.words import Sentence

NAMES = "names"
"""Beside the languages: what players are called, said by themselves."""
LONGEST_TEXT = 200
MOST_CLIP_BYTES = 45_000
"""Of one clip: so much goes over the table's line at once."""


@dataclass(frozen=True, slots=True)
class VoiceStand:
    """What a house has said itself: *said* are the texts of each language, and of `NAMES`.

    *calls* is the language of the caller; None where this box has no caller. *quiet* is whether
    somebody has hushed it.
    """

    calls: str | None
    said: Mapping[str, tuple[str, ...]]
    quiet: bool = False


class VoiceClient(Protocol):
    """The clips of a house that is its own caller; safe from any thread.

    A *language* is one of `kloplei.words.LANGUAGES`, with a text that its caller says, or `NAMES`.
    """

    def look(self) -> VoiceStand:
        """Return what has been said."""
        ...

    def clip(
        self,
        language: Annotated[str, ShortText(10)],
        text: Annotated[str, ShortText(LONGEST_TEXT)],
    ) -> bytes:
        """Return the clip of *text*, a file of Ogg Opus.

        Raises:
            BadRequest: Nobody has said it.
            TableUnavailable: It cannot be read.
        """
        ...

    def keep(
        self,
        language: Annotated[str, ShortText(10)],
        text: Annotated[str, ShortText(LONGEST_TEXT)],
        clip: bytes,
    ) -> None:
        """Let *clip*, a sound file of `MOST_CLIP_BYTES` at most, say *text* from the next call on.

        Raises:
            BadRequest: No caller says that, or it is no clip.
            TableUnavailable: It cannot be kept.
        """
        ...

    def remove(
        self,
        language: Annotated[str, ShortText(10)],
        text: Annotated[str, ShortText(LONGEST_TEXT)],
    ) -> None:
        """Throw the clip of *text* away; one that is not there is gone already.

        Raises:
            TableUnavailable: It cannot be.
        """
        ...


def no_voice() -> VoiceClient:
    """Return what a table answers that has nowhere to keep a voice."""
    return absent(VoiceClient, Sentence("no-own-voice"), look=lambda: VoiceStand(None, {}))
