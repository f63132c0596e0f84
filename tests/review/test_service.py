"""The ears between sensors and table: in memory, over the socket, and what sensors see of them."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

import pytest

from kloplei.table.client import EarsClient
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.session import Session
from tests.review.contract import EarsContract


class TestEars(EarsContract):
    """The body in memory."""

    @pytest.fixture(autouse=True)
    def _direct(self) -> None:
        """No socket."""

    def ears_of(self, session: Session) -> AbstractContextManager[EarsClient]:
        return nullcontext(session.ears)


class TestRemoteEars(EarsContract):
    """The body over a Unix socket."""

    @pytest.fixture(autouse=True)
    def _socket(self, tmp_path: Path) -> None:
        self.path = tmp_path / "table.sock"

    def ears_of(self, session: Session) -> AbstractContextManager[EarsClient]:
        return self._through_the_socket(session)

    @contextmanager
    def _through_the_socket(self, session: Session) -> Iterator[EarsClient]:
        with RpcServer(session, self.path), closing(remote_table(self.path)) as remote:
            yield remote.ears
