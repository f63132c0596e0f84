"""Calls that are pushed to phones: sealed for one, signed, in time, and nowhere else."""

import http.server
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from kloplei_hub import _pushing, pushes
from kloplei_hub._pushing import PushKey, PushSender, PushWorker, seal
from kloplei_hub.database import Connection, connect
from kloplei_hub.people import forget_person, house_people
from kloplei_hub.pushes import PushNews, PushRefused, PushSubscription, decoded, encoded
from kloplei_hub.referee import HouseReferee
from kloplei_hub.tournaments import CameOut, Joined, Opened
from tests.until import until

PERSON = 1
NEWS = PushNews("called", 7, "Kelkcup", (1, 2), 3, 2)
SOON = timedelta(minutes=10)


class Phone:
    """A browser that subscribed at a push service, which alone can open what is sealed for it."""

    def __init__(self, service: "PushService", name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = b"0123456789abcdef"
        self._at = f"/{name}"
        self._service = service

    @property
    def subscription(self) -> PushSubscription:
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        where = f"http://127.0.0.1:{self._service.port}{self._at}"
        return PushSubscription(where, encoded(point), encoded(self._auth))

    def told(self) -> list[dict[str, str]]:
        """What was pushed to it, opened."""
        return [
            json.loads(
                http_ece.decrypt(
                    one.body, private_key=self._key, auth_secret=self._auth, version="aes128gcm"
                )
            )
            for one in self._service.posts
            if one.path == self._at and one.status == 201
        ]


@dataclass
class Post:
    path: str
    headers: dict[str, str]
    body: bytes
    status: int


@dataclass
class PushService:
    """A push service of ours; *answers* are what it says first, by phone, then it takes all."""

    answers: dict[str, list[int]] = field(default_factory=dict)
    posts: list[Post] = field(default_factory=list)
    port: int = 0

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        waiting = self.answers.get(path)
        status = waiting.pop(0) if waiting else 201
        self.posts.append(Post(path, headers, body, status))
        return status


@pytest.fixture
def service() -> Iterator[PushService]:
    service = PushService()

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(service.take(self.path, dict(self.headers), body))
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        service.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield service
        server.shutdown()
        thread.join()


@pytest.fixture
def people(house: Connection) -> Connection:
    for person in range(1, 5):
        house.execute("INSERT INTO people (person, name) VALUES (%s, %s)", (person, f"P{person}"))
    pushes.public_key(house)
    return house


@pytest.fixture
def work(dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Starts what sends, as the folding program's own user."""
    monkeypatch.setattr(_pushing, "_WAKES_S", 0.05)
    mine = dsn.replace("user=kloplei_hub", "user=kloplei_fold")
    worker = PushWorker(mine, "https://hub.example", anywhere=True, first_pause_s=0.05)
    begun: list[PushWorker] = []
    yield lambda: begun.append(worker.__enter__())
    for one in begun:
        one.__exit__()


def subscribed(house: Connection, phone: Phone, person: int = PERSON, language: str = "nl") -> None:
    pushes.subscribe(house, person, phone.subscription, language)


def push(house: Connection, news: PushNews = NEWS, left: timedelta = SOON) -> None:
    pushes.push(house, news, news.players, house_people(house), datetime.now(UTC) + left)


def waiting(house: Connection) -> int:
    return int(house.execute("SELECT count(*) FROM pushes").fetchall()[0][0])


def phones(house: Connection) -> int:
    return int(house.execute("SELECT count(*) FROM push_subscriptions").fetchall()[0][0])


def test_a_message_is_sealed_as_the_standard_has_it() -> None:
    """RFC 8291, 5."""
    public = (
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    to = PushSubscription("https://push.example.net/", public, "BTBZMqHH6r4Tts7J_aSIgg")
    number = int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big")
    key = ec.derive_private_key(number, ec.SECP256R1())

    sealed = seal(
        b"When I grow up, I want to be a watermelon", to, key, decoded("DGv6ra1nlYgDCS1FRnbzlw")
    )

    assert encoded(sealed) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS"
        "6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qu"
        "lcy4a-fN"
    )


def test_a_call_reaches_every_phone_of_who_is_called_in_its_own_language(
    people: Connection, service: PushService, work: Callable[[], None]
) -> None:
    dutch, german, other = (
        Phone(service, "dutch"),
        Phone(service, "german"),
        Phone(service, "other"),
    )
    subscribed(people, dutch)
    subscribed(people, german, 2, "de")
    subscribed(people, other, 3)
    work()

    push(people)

    until(lambda: len(service.posts) == 2)
    (told,), (auf_deutsch,) = dutch.told(), german.told()
    assert (told["title"], told["body"]) == ("Tafel 3: P1, P2", "Kelkcup, ronde 2. Schuif aan!")
    assert (told["lang"], told["to"]) == ("nl", "/tournaments/7")
    assert auf_deutsch["title"] == "Tisch 3: P1, P2"
    assert other.told() == []
    until(lambda: not waiting(people))


def test_a_push_service_sees_who_sends_and_until_when_it_holds(
    people: Connection, service: PushService, work: Callable[[], None]
) -> None:
    phone = Phone(service, "phone")
    subscribed(people, phone)
    work()
    push(people)
    until(lambda: bool(service.posts))
    headers = service.posts[0].headers

    token, public = headers["Authorization"].removeprefix("vapid t=").split(",k=")
    told = json.loads(decoded(token.split(".")[1]))

    assert Vapid02.verify(headers["Authorization"])
    other = encoded(json.dumps({**told, "exp": told["exp"] + 1}).encode())
    assert not Vapid02.verify(headers["Authorization"].replace(token.split(".")[1], other))
    assert public == pushes.public_key(people)
    assert told["aud"] == f"http://127.0.0.1:{service.port}"
    assert told["sub"] == "https://hub.example"
    assert time.time() < told["exp"] <= time.time() + 86_400
    assert 590 <= int(headers["TTL"]) <= 600
    assert (headers["Urgency"], headers["Topic"]) == ("high", "tournament-7")
    assert headers["Content-Encoding"] == "aes128gcm"


def test_one_sender_serves_all_batches_as_long_as_the_house_has_its_key(
    people: Connection,
    service: PushService,
    work: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[ssl.SSLContext] = []

    def read_authorities() -> ssl.SSLContext:
        read.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return read[-1]

    monkeypatch.setattr(ssl, "create_default_context", read_authorities)
    subscribed(people, Phone(service, "phone"))
    work()

    def is_sent(times: int) -> bool:
        return len(service.posts) == times and not waiting(people)

    signed_by = []
    for at in range(3):
        if at == 2:  # an old copy of the database was put back, say
            people.execute("DELETE FROM push_keys")
            pushes.public_key(people)
        push(people)
        until(partial(is_sent, at + 1))
        signed_by.append(service.posts[-1].headers["Authorization"].partition(",k=")[2])

    assert signed_by[0] == signed_by[1] != signed_by[2] == pushes.public_key(people)
    assert len(read) == 2


@pytest.mark.parametrize("status", [404, 410])
def test_who_takes_no_messages_any_more_is_let_go_of(
    people: Connection, service: PushService, work: Callable[[], None], status: int
) -> None:
    gone, stays = Phone(service, "gone"), Phone(service, "stays")
    service.answers["/gone"] = [status]
    subscribed(people, gone)
    subscribed(people, stays, 2)
    work()

    push(people)

    until(lambda: phones(people) == 1 and not waiting(people))
    assert len(stays.told()) == 1


@pytest.mark.parametrize(("answers", "comes"), [([503, 429], 1), ([400], 0), ([301], 0)])
def test_what_may_pass_is_sent_again_and_a_refusal_is_not(
    people: Connection,
    service: PushService,
    work: Callable[[], None],
    answers: list[int],
    comes: int,
) -> None:
    """A redirect is a refusal: nobody is sent on to where it was not looked."""
    phone = Phone(service, "phone")
    service.answers["/phone"] = list(answers)
    subscribed(people, phone)
    work()

    push(people)

    until(lambda: bool(service.posts) and not waiting(people))
    assert len(phone.told()) == comes
    assert len(service.posts) == len(answers) + comes
    assert phones(people) == 1


def test_nothing_older_than_its_call_is_pushed(
    people: Connection, service: PushService, work: Callable[[], None]
) -> None:
    late, now = Phone(service, "late"), Phone(service, "now")
    subscribed(people, late)
    subscribed(people, now, 3)
    push(people, left=timedelta(seconds=-1))
    push(people, replace(NEWS, players=(3,)))

    work()

    until(lambda: len(now.told()) == 1 and not waiting(people))
    assert late.told() == []


def test_a_newer_call_takes_the_place_of_one_that_waits(
    people: Connection, service: PushService, work: Callable[[], None]
) -> None:
    phone = Phone(service, "phone")
    subscribed(people, phone)
    push(people)
    push(people, replace(NEWS, table=9, table_name="Stamtafel"))

    work()

    until(lambda: not waiting(people))
    assert [one["title"] for one in phone.told()] == ["Stamtafel: P1, P2"]


def test_a_draw_calls_phones_a_final_all_of_them_and_the_end_tells_who_won(
    people: Connection, service: PushService, work: Callable[[], None]
) -> None:
    """At tables without a box as well, where no slate says it."""
    all_four = [Phone(service, f"p{person}") for person in range(1, 5)]
    for person, phone in enumerate(all_four, 1):
        subscribed(people, phone, person, "en")
    work()
    referee = HouseReferee(people)
    number = referee.open(Opened("Cup", "eenendertigen", "knockout", tables=(1, 2)))
    for person in range(1, 5):
        referee.tell(number, Joined(person))

    def titles() -> list[list[str]]:
        return [[one["title"] for one in phone.told()] for phone in all_four]

    for match in referee.draw(number).matches:
        until(lambda: all(titles()))
        names = ", ".join(f"P{one}" for one in match.players)
        assert titles()[match.players[0] - 1] == [f"Table {match.table}: {names}"]
        referee.tell(number, CameOut(1, match.table, (1, 2)))
    (final,) = referee.draw(number).matches
    until(lambda: all(len(one) == 2 for one in titles()))
    assert all(one[1].startswith("The final! Table 1: ") for one in titles())
    referee.tell(number, CameOut(2, 1, (1, 2)))
    referee.end(number, "nobody")

    until(lambda: all(len(one) == 3 for one in titles()))
    last = all_four[0].told()[-1]
    assert (last["title"], last["body"]) == ("Cup is over", f"Won by P{final.players[0]}")


def test_of_one_person_the_newest_phones_are_kept(people: Connection, service: PushService) -> None:
    many = [Phone(service, f"p{at}").subscription for at in range(pushes.MOST_EACH + 2)]
    for one in many:
        pushes.subscribe(people, PERSON, one, "nl")

    kept = {pushes.whose(people, one.id) for one in many[2:]}

    assert kept == {PERSON}
    assert [pushes.whose(people, one.id) for one in many[:2]] == [None, None]


def test_who_is_forgotten_is_told_nothing_whoever_forgets_them(
    people: Connection, service: PushService, dsn: str
) -> None:
    subscribed(people, Phone(service, "here"))
    subscribed(people, Phone(service, "table"), 2)
    subscribed(people, Phone(service, "stays"), 3)
    push(people)

    forget_person(people, PERSON)
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_ingest")) as ingest:
        ingest.execute("UPDATE people SET agreed = false, name = '' WHERE person = 2")

    assert (phones(people), waiting(people)) == (1, 0)


def test_a_person_who_was_found_to_be_two_is_told_as_either(
    people: Connection, service: PushService
) -> None:
    subscribed(people, Phone(service, "phone"), 4)
    people.execute("UPDATE people SET merged = 1 WHERE person = 4")

    push(people)

    assert waiting(people) == 1


def test_the_pages_make_a_key_and_cannot_read_it_again(dsn: str, people: Connection) -> None:
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_web"), autocommit=True) as web:
        people.execute("DELETE FROM push_keys")

        first = pushes.public_key(web)

        assert pushes.public_key(web) == first
    (row,) = people.execute("SELECT public, private FROM push_keys").fetchall()
    assert PushKey(*row).signed("https://push.example/x", "", 0).endswith(f"k={first}")


GOOD = "https://updates.push.services.mozilla.com/wpush/v2/x"


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example/x",
        "https://push.example:8443/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://169.254.169.254/latest",
        "https://me@push.example/x",
        "file:///etc/passwd",
        "https:///x",
        "https://push.example:x/",
        "https://push.example/\n",
        f"https://push.example/{'x' * 1000}",
        None,
    ],
)
def test_an_endpoint_leads_to_the_internet_by_https(
    service: PushService, endpoint: str | None
) -> None:
    one = Phone(service, "x").subscription
    keys = {"p256dh": one.p256dh, "auth": one.auth}
    assert pushes.subscription_of({"endpoint": GOOD, "keys": keys}).endpoint == GOOD

    with pytest.raises(PushRefused):
        pushes.subscription_of({"endpoint": endpoint, "keys": keys})


@pytest.mark.parametrize(
    "keys",
    [
        None,
        {},
        {"p256dh": "x", "auth": 3},
        {"p256dh": encoded(b"\x04" + b"\1" * 64), "auth": encoded(b"0" * 16)},
        {"p256dh": "é", "auth": "é"},
    ],
)
def test_keys_are_what_a_browser_has(keys: object) -> None:
    with pytest.raises(PushRefused):
        pushes.subscription_of({"endpoint": GOOD, "keys": keys})
    with pytest.raises(PushRefused):
        pushes.subscription_of([])


@pytest.mark.parametrize(
    ("address", "is_public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("192.168.1.1", False),
        ("224.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:8.8.8.8", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
    ],
)
def test_what_leads_back_into_a_network_is_not_public(address: str, is_public: bool) -> None:
    assert pushes.is_public(ip_address(address)) is is_public


def test_a_name_that_leads_back_here_is_asked_nothing(service: PushService) -> None:
    """Whatever it led to when somebody subscribed."""
    key = ec.generate_private_key(ec.SECP256R1())
    private = encoded(key.private_numbers().private_value.to_bytes(32, "big"))
    to = replace(Phone(service, "x").subscription, endpoint=f"http://localhost:{service.port}/x")

    with pytest.raises(PushRefused, match="localhost is not on the internet"):
        PushSender(PushKey("", private)).send(to, b"", 60, "t")

    assert service.posts == []


def test_of_what_a_phone_tells_nothing_is_kept_beside_its_keys(service: PushService) -> None:
    """A NUL among its letters came to the database, and 60 kB of them as well."""
    one = Phone(service, "x").subscription
    keys = {"p256dh": one.p256dh + "\0" * 1000, "auth": one.auth + "!" * 1000}

    told = pushes.subscription_of({"endpoint": GOOD, "keys": keys})

    assert told == replace(one, endpoint=GOOD)


def test_a_name_of_many_silent_addresses_takes_no_longer_than_one(
    service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each took ten seconds, while the calls of everybody else waited."""
    now_s = [0.0]
    tried: list[object] = []

    class Silent:
        def __init__(self, *_: object) -> None:
            self.patience_s = 0.0

        def settimeout(self, patience_s: float) -> None:
            self.patience_s = patience_s

        def connect(self, where: object) -> None:
            tried.append(where)
            now_s[0] += self.patience_s
            raise TimeoutError

        def close(self) -> None:
            pass

    many = [(2, 1, 6, "", (f"93.184.215.{at}", 443)) for at in range(100)]
    key = ec.generate_private_key(ec.SECP256R1())
    private = encoded(key.private_numbers().private_value.to_bytes(32, "big"))
    sender = PushSender(PushKey("", private))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: many)
    monkeypatch.setattr(socket, "socket", Silent)
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    to = replace(Phone(service, "x").subscription, endpoint=GOOD)

    with pytest.raises(TimeoutError):
        sender.send(to, b"", 60, "t")

    assert (now_s[0], len(tried)) == (_pushing.PATIENCE_S, 1)
