"""What cannot be listened to, in one sentence."""

from kloplei.files import KlopleiError


class UnreadableRecording(KlopleiError, ValueError):
    """A file that is no recording Kloplei can listen to."""

    @classmethod
    def of(cls, name: str, why: str) -> "UnreadableRecording":
        """Return the complaint about the file *name*; *why* says what is wrong and what helps."""
        return cls(f"{name}: {why}")


class NotWav(ValueError):
    """Why bytes are no WAV file of ours; whoever knows the file's name puts it in front."""
