"""A box, a phone on its hotspot and the house beside it, each in a network namespace.

Real are dnsmasq, as NetworkManager 1.42 starts it, with the very drop-in; both units of the box;
curl and dig on the phone; and in the last tests NetworkManager itself. Not real is the radio.
"""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image, ImageOps

from kloplei.network import hotspot as names
from kloplei.network.addresses import HOTSPOT, NAMES_LEAD_TO, Wifi
from kloplei.network.hotspot import HotspotProfile, names_to_add

NEEDED = {
    "ip": "iproute2",
    "dnsmasq": "dnsmasq-base",
    "curl": "curl",
    "dig": "bind9-dnsutils",
    "nmcli": "network-manager",
    "dbus-daemon": "dbus",
}
BOX, PHONE, HOUSE = (f"kloplei-{what}-{os.getpid()}" for what in ("box", "phone", "house"))
IN_THE_HOUSE = "192.168.77.5"
KLOPLEI = Path(sys.executable).with_name("kloplei")
PATIENCE_S = 60.0
PORT = 8080  # the usual one; phones ask for the internet at port 80 all the same
CONFIG = """
[table]
data = "{folder}/data"
[pins]
factory = "mock"
[slate]
driver = "none"
[socket]
path = "{folder}/table.sock"
[hotspot]
name = "Lei"
password = "elflevens"
"""


def run(*command: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert not ok or done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done


def inside(where: str, *command: str, ok: bool = True) -> str:
    return run("ip", "netns", "exec", where, *command, ok=ok).stdout


def eventually(holds: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.2)
    return True


class Pub:
    """The box in the house's network; its hotspot goes on and off."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.units: list[subprocess.Popen[bytes]] = []
        self._dnsmasq: subprocess.Popen[bytes] | None = None
        self._logs = (folder / "units.log").open("wb")

    def open(self) -> None:
        for where in (BOX, PHONE, HOUSE):
            run("ip", "netns", "add", where)
            inside(where, "ip", "link", "set", "lo", "up")
        self._wire("wlan0", PHONE)
        self._wire("eth0", HOUSE)
        inside(BOX, "ip", "address", "add", f"{IN_THE_HOUSE}/24", "dev", "eth0")
        inside(HOUSE, "ip", "address", "add", "192.168.77.1/24", "dev", "eth0")
        inside(BOX, "ip", "route", "add", "default", "via", "192.168.77.1")
        inside(PHONE, "ip", "address", "add", "10.75.76.23/24", "dev", "wlan0")
        inside(PHONE, "ip", "route", "add", "default", "via", str(HOTSPOT.ip))
        resolver = Path("/etc/netns") / PHONE / "resolv.conf"
        resolver.parent.mkdir(parents=True, exist_ok=True)
        resolver.write_text(f"nameserver {HOTSPOT.ip}\n")
        (self.folder / "kloplei.toml").write_text(CONFIG.format(folder=self.folder))
        for unit in ("run", "panel"):
            self.units.append(self._start(str(KLOPLEI), unit, "--config", self._config))
        assert eventually(lambda: "seq" in self.ask(HOUSE, "/api/v1/scoreboard", IN_THE_HOUSE))

    def close(self) -> None:
        self.hotspot_off()
        for unit in self.units:
            unit.send_signal(signal.SIGTERM)
            unit.wait(PATIENCE_S)
        self._logs.close()
        for where in (BOX, PHONE, HOUSE):
            run("ip", "netns", "delete", where, ok=False)
        shutil.rmtree(Path("/etc/netns") / PHONE, ignore_errors=True)

    def hotspot_on(self) -> None:
        """Do what NetworkManager does when the profile comes up."""
        names.install_drop_in(NAMES_LEAD_TO, self.folder / "dnsmasq.d" / "kloplei.conf")
        inside(BOX, "ip", "address", "add", str(HOTSPOT), "dev", "wlan0")
        inside(BOX, "ip", "address", "add", f"{NAMES_LEAD_TO}/32", "dev", "lo")
        self._dnsmasq = self._start(
            "dnsmasq", "--conf-file=/dev/null", "--no-hosts", "--keep-in-foreground",
            "--bind-interfaces", "--except-interface=lo", "--clear-on-reload", "--strict-order",
            f"--listen-address={HOTSPOT.ip}", "--dhcp-range=10.75.76.10,10.75.76.254,60m",
            "--dhcp-leasefile=/dev/null", "--pid-file=", f"--conf-dir={self.folder}/dnsmasq.d",
        )  # fmt: skip
        assert eventually(lambda: self.dig("kloplei") == [str(HOTSPOT.ip)])

    def hotspot_off(self) -> None:
        if self._dnsmasq is not None:
            self._dnsmasq.terminate()
            self._dnsmasq.wait(PATIENCE_S)
            self._dnsmasq = None
            inside(BOX, "ip", "address", "delete", str(HOTSPOT), "dev", "wlan0")
            inside(BOX, "ip", "address", "delete", f"{NAMES_LEAD_TO}/32", "dev", "lo")

    def dig(self, name: str, kind: str = "A") -> list[str]:
        ask = ("dig", "+short", "+time=2", "+tries=1", f"@{HOTSPOT.ip}", name, kind)
        return inside(PHONE, *ask, ok=False).split()

    def ask(self, whence: str, path: str, host: str = str(HOTSPOT.ip)) -> str:
        return inside(whence, "curl", "-s", "-m", "5", f"http://{host}:{PORT}{path}", ok=False)

    def codes(self) -> list[str]:
        """Return what a phone reads off the slate now."""
        picture = self.folder / "slate.png"
        url = f"http://127.0.0.1:{PORT}/slate.png?scale=2"
        inside(BOX, "curl", "-s", "-m", "5", "-o", str(picture), url, ok=False)
        try:
            seen = ImageOps.expand(Image.open(picture).convert("L"), 24, 0)
        except OSError:
            return []
        # An address is drawn in capitals where it means the same.
        texts = (code.text for code in zxingcpp.read_barcodes(seen))
        return [one.lower() if one.startswith("HTTP:") else one for one in texts]

    def looks(self, for_s: float) -> set[str]:
        """Return every code that stands on the slate within *for_s* seconds."""
        until_s = time.monotonic() + for_s
        found: set[str] = set()
        while time.monotonic() < until_s:
            found.update(self.codes())
            time.sleep(0.2)
        return found

    @property
    def _config(self) -> str:
        return str(self.folder / "kloplei.toml")

    def _wire(self, interface: str, other: str) -> None:
        ends = ("netns", BOX, "type", "veth", "peer", "name", interface, "netns", other)
        run("ip", "link", "add", interface, *ends)
        for where in (BOX, other):
            inside(where, "ip", "link", "set", interface, "up")

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        env = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}
        return subprocess.Popen(
            ["ip", "netns", "exec", BOX, *command], env=env, stdout=self._logs, stderr=self._logs
        )


@pytest.fixture(scope="module")
def pub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pub]:
    for tool, package in NEEDED.items():
        if shutil.which(tool) is None and not Path("/usr/sbin", tool).exists():
            pytest.fail(f"No {tool}. Install it: apt-get install {package}", pytrace=False)
    if os.geteuid() != 0:
        pytest.fail("Only root makes network namespaces. Run: sudo make test-box", pytrace=False)
    pub = Pub(tmp_path_factory.mktemp("pub"))
    try:
        pub.open()
        yield pub
    finally:
        pub.close()


@pytest.fixture
def hotspot(pub: Pub) -> Iterator[Pub]:
    pub.hotspot_on()
    yield pub
    pub.hotspot_off()


def test_every_name_is_the_box(hotspot: Pub) -> None:
    for name in ("nu.nl", "connectivitycheck.gstatic.com", "captive.apple.com"):
        assert hotspot.dig(name) == [str(NAMES_LEAD_TO)]
    assert hotspot.dig("lei") == [str(HOTSPOT.ip)]


def test_what_is_asked_besides_is_answered_at_once_with_nothing(hotspot: Pub) -> None:
    """A resolver that hears REFUSED asks again, and again."""
    for kind in ("AAAA", "HTTPS"):
        ask = ("dig", "+time=2", "+tries=1", f"@{HOTSPOT.ip}", "nu.nl", kind)
        answer = inside(PHONE, *ask)
        assert "status: NOERROR" in answer
        assert "ANSWER: 0" in answer
    answer = inside(PHONE, "dig", "+tries=1", f"@{HOTSPOT.ip}", "use-application-dns.net")
    assert "status: NXDOMAIN" in answer


def test_an_iphone_stays_and_an_android_is_led_to_the_slate(hotspot: Pub) -> None:
    apple = inside(PHONE, "curl", "-s", "http://captive.apple.com/hotspot-detect.html")
    google = ("curl", "-s", "-i", "http://connectivitycheck.gstatic.com/generate_204")

    assert "<TITLE>Success</TITLE>" in apple
    head = inside(PHONE, *google).splitlines()
    assert head[0].startswith("HTTP/1.1 302")
    assert f"Location: http://{HOTSPOT.ip}/" in head


def test_any_name_ends_at_the_slate(hotspot: Pub) -> None:
    page = inside(PHONE, "curl", "-s", "-L", "http://nu.nl/sport?x=1")

    assert 'id="table"' in page


def test_https_to_a_foreign_name_fails_at_once(hotspot: Pub) -> None:
    began_s = time.monotonic()

    done = run("ip", "netns", "exec", PHONE, "curl", "-s", "-m", "10", "https://nu.nl/", ok=False)

    refused = 7  # curl(1): failed to connect
    assert done.returncode == refused
    assert time.monotonic() - began_s < 2.0


def test_the_house_sees_nothing_of_it(hotspot: Pub) -> None:
    name = "Host: captive.apple.com"
    url = f"http://{IN_THE_HOUSE}:{PORT}/hotspot-detect.html"

    told = inside(HOUSE, "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", name, url)

    assert told == "404"


def test_slate_and_screen_follow_every_change_without_a_restart(pub: Pub) -> None:
    """Of several addresses the one that phones can reach: the house's, the hotspot's, none."""
    house, own = f"http://{IN_THE_HOUSE}:{PORT}/", f"http://{HOTSPOT.ip}:{PORT}/"
    assert eventually(lambda: pub.codes() == [house])

    pub.hotspot_on()
    assert f"{HOTSPOT.ip}:{PORT}</b>" in pub.ask(HOUSE, "/tv", IN_THE_HOUSE)
    assert eventually(lambda: pub.codes() == [own])
    assert pub.looks(16.0) == {own}, "the password is for who sees the glass itself"

    pub.hotspot_off()
    assert eventually(lambda: pub.codes() == [house])

    inside(BOX, "ip", "address", "delete", f"{IN_THE_HOUSE}/24", "dev", "eth0")
    inside(BOX, "ip", "address", "add", "192.168.77.6/24", "dev", "eth0")
    inside(BOX, "ip", "route", "add", "default", "via", "192.168.77.1")
    assert eventually(lambda: pub.codes() == [f"http://192.168.77.6:{PORT}/"])

    # Docker comes up, and the cable is pulled: what is left leads to no phone.
    docker = ("ip", "link", "add", "docker0", "type", "veth", "peer", "name", "vethd0")
    inside(BOX, *docker)
    for interface in ("docker0", "vethd0"):
        inside(BOX, "ip", "link", "set", interface, "up")
    inside(BOX, "ip", "address", "add", "172.17.0.1/16", "dev", "docker0")
    inside(BOX, "ip", "link", "set", "eth0", "down")
    assert eventually(lambda: pub.looks(16.0) == set())
    assert "172.17.0.1" not in pub.ask(BOX, "/tv", "127.0.0.1")


NETWORKMANAGER = """
set -e
mount -t tmpfs none /run; mkdir -p /run/dbus
for folder in /etc/NetworkManager /var/lib/NetworkManager; do mount -t tmpfs none $folder; done
mkdir -p /etc/NetworkManager/system-connections
printf '[main]\\nplugins=keyfile\\n' > /etc/NetworkManager/NetworkManager.conf
ip link set lo up
dbus-daemon --system --fork --print-pid > /run/bus-pid
NetworkManager --no-daemon 2>/dev/null & echo $! > /run/nm-pid
for try in $(seq 50); do
    nmcli -t -f RUNNING general 2>/dev/null | grep -q '^running' && break; sleep 0.2
done
{commands}
kill $(cat /run/nm-pid) $(cat /run/bus-pid)
"""


def with_networkmanager(commands: str) -> str:
    """Return what *commands* print where a NetworkManager of their own runs."""
    script = NETWORKMANAGER.replace("{commands}", textwrap.dedent(commands))
    return run("unshare", "--mount", "--net", "sh", "-c", script).stdout


def quoted(*words: str) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def test_networkmanager_takes_the_profiles_and_gives_them_back(pub: Pub) -> None:
    wanted = HotspotProfile(Wifi('De: "Klop\\', "a:b\\c'defgh"), "wlan0", channel=11)
    fields = ",".join(wanted.compared)
    ask = quoted("nmcli", "--show-secrets", "--get-values", fields, "connection", "show", "kloplei")

    told = with_networkmanager(
        f"{quoted('nmcli', *wanted.to_add())} >/dev/null; "
        f"{quoted('nmcli', *names_to_add())} >/dev/null; {ask}"
    )

    escaped = [one.replace("\\", "\\\\").replace(":", "\\:") for one in wanted.compared.values()]
    assert told.splitlines() == escaped


def test_without_a_radio_the_command_says_so_and_leaves_nothing(pub: Pub) -> None:
    config = pub.folder / "kloplei.toml"

    told = with_networkmanager(
        f"{KLOPLEI} hotspot on --config {config} 2>&1 || echo status $?; "
        "nmcli -t -f NAME connection show"
    )

    assert "This box has no Wi-Fi device" in told
    assert told.splitlines()[-1] == "status 1"
