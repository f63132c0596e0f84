"""What the table's socket answers for the doctor; `kloplei.table.port` tells how it is asked.

Each call is one of `kloplei.table.doctor.DoctorClient`::

    {"call": "doctor.examine"}                              {"findings": [...]}
    {"call": "doctor.knock", "seat": 2, "times": 3}         {}
    {"call": "doctor.show_test_picture"}                    {}
    {"call": "doctor.judge_picture", "seen": "left-2"}      {"finding": {...}}
"""

from kloplei.rules.game import Seat
from kloplei.table.doctor import DoctorClient
from kloplei.table.talk import Garbled, Json
from kloplei.table.wire import to_socket


def ask_doctor(doctor: DoctorClient, request: Json) -> Json:
    """Return the answer of *doctor* to *request*.

    Raises:
        Garbled: No such call, or other words with it than there should be.
    """
    match request:
        case {"call": "doctor.examine"}:
            return {"findings": [to_socket(one) for one in doctor.examine()]}
        case {"call": "doctor.knock", "seat": int(seat), "times": int(times)}:
            doctor.knock(Seat(seat - 1), times)
            return {}
        case {"call": "doctor.show_test_picture"}:
            doctor.show_test_picture()
            return {}
        case {"call": "doctor.judge_picture", "seen": str(seen)}:
            return {"finding": to_socket(doctor.judge_picture(seen))}
    raise Garbled("no such call")
