"""What every `TableClient` keeps of the voice of a house, in memory or over a socket."""

from pathlib import Path

import pytest

from kloplei.table.client import BadRequest, TableClient
from kloplei.table.session import Session
from kloplei.table.voice_client import MOST_CLIP_BYTES, NAMES, VoiceStand
from kloplei.voice.recorded import RecordedVoice
from tests.table.contract import TableClientContract
from tests.voice.test_recorded import CLIP, TOEP


class VoiceContract(TableClientContract):
    """The part of the contract that `TableClient.voice` keeps."""

    def test_a_table_without_a_voice_has_said_nothing_and_keeps_nothing(
        self, client: TableClient
    ) -> None:
        assert client.voice.look() == VoiceStand(None, {})
        with pytest.raises(BadRequest, match="nowhere to keep"):
            client.voice.keep("nl", TOEP, CLIP)

    def test_what_is_said_arrives_and_comes_back(
        self, client: TableClient, session: Session, tmp_path: Path
    ) -> None:
        session.voice = RecordedVoice(tmp_path, "nl")

        client.voice.keep("nl", TOEP, CLIP)
        client.voice.keep(NAMES, "Thijs", CLIP)

        assert client.voice.clip("nl", TOEP) == CLIP
        assert client.voice.look() == session.voice.look()
        client.voice.remove("nl", TOEP)
        with pytest.raises(BadRequest, match="Nobody has said"):
            client.voice.clip("nl", TOEP)

    def test_the_longest_clip_goes_over_the_line_and_a_longer_one_is_refused(
        self, client: TableClient, session: Session, tmp_path: Path
    ) -> None:
        session.voice = RecordedVoice(tmp_path)
        # What stands behind the last page of Ogg is nothing to those who read it.
        client.voice.keep("nl", TOEP, CLIP + bytes(MOST_CLIP_BYTES - len(CLIP)))

        with pytest.raises(BadRequest, match="no recording"):
            client.voice.keep("nl", TOEP, CLIP + bytes(MOST_CLIP_BYTES - len(CLIP) + 1))
