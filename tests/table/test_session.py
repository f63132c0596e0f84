"""The thread around the table: it never sleeps badly, never dies, never keeps anybody waiting."""

from contextlib import AbstractContextManager, nullcontext

from kloplei.rules.game import Seat
from kloplei.table.client import TableClient
from kloplei.table.session import Session
from tests.table.contract import TableClientContract

THIJS, TAME = Seat(0), Seat(1)


class TestSession(TableClientContract):
    """The body in memory."""

    def client_of(self, session: Session) -> AbstractContextManager[TableClient]:
        return nullcontext(session)
