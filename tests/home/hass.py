"""A Home Assistant that was installed elsewhere, run in a folder of its own, and asked by its API.

It is set up as a keeper does: a first user, then the MQTT integration by its form.
"""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

from kloplei_hub.servers import free_port

START_S: Final = 900.0
"""The first start of a new one installs what its integrations ask for."""
PATIENCE_S: Final = 60.0
_ASK_S = 20.0
_CONFIGURATION = """\
homeassistant: {{name: Pub, country: NL, unit_system: metric}}
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
config:
frontend:
image:
automation: !include automations.yaml
logger: {{default: warning, logs: {{homeassistant.components.mqtt: info}}}}
"""


def until(holds: Callable[[], object], why: str = "", patience_s: float = PATIENCE_S) -> None:
    """Wait until something *holds*."""
    ends_s = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < ends_s, why or "It never comes to that."
        time.sleep(0.1)


class RealHomeAssistant:
    """The program *hass*, which keeps what it knows in *folder*; a context manager.

    Args:
        hass: Of the installation that is to be tried.
        folder: For its configuration; it knows afterwards what it knew.
        broker: Port of the broker at which it listens, on this machine.
    """

    def __init__(self, hass: Path, folder: Path, broker: int) -> None:
        self._hass, self._folder, self._broker = hass, folder, broker
        self._token = ""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        folder.mkdir()
        (folder / "automations.yaml").write_text("[]\n")
        (folder / "configuration.yaml").write_text(_CONFIGURATION.format(port=port))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            starting.callback(self.stop)
            self.start()
            self._join()
            starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def version(self) -> str:
        """As it calls itself."""
        return str(self.ask("/api/config")["version"])

    @property
    def log(self) -> str:
        """All that it has logged since its last start."""
        return (self._folder / "home-assistant.log").read_text()

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        with (self._folder / "said").open("ab") as said:
            self._process = subprocess.Popen(
                [self._hass, "-c", self._folder],
                env={**os.environ, "PATH": f"{self._hass.parent}:{os.environ['PATH']}"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        until(self._answers, "Home Assistant does not start", START_S)
        if self._token:
            until(lambda: self.ask("/api/config")["state"] == "RUNNING")

    def stop(self) -> None:
        """End it as the machine does."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def state(self, entity: str) -> str:
        """Return how *entity* stands; empty where there is none."""
        return str(self._read(entity).get("state", ""))

    def attributes(self, entity: str) -> Mapping[str, Any]:
        """Return what stands beside the state of *entity*."""
        told: Mapping[str, Any] = self._read(entity).get("attributes", {})
        return told

    def entities(self) -> dict[str, str]:
        """Return how everything stands that MQTT brought."""
        told = self.template("{{ integration_entities('mqtt') | to_json }}")
        return {one: self.state(one) for one in json.loads(told)}

    def template(self, template: str) -> str:
        """Return what it makes of a *template*."""
        return self._fetch("/api/template", {"template": template}).decode()

    def image(self, entity: str) -> bytes:
        """Return the picture of *entity*."""
        return self._fetch(f"/api/image_proxy/{entity}")

    def automate(self, name: str, automation: Mapping[str, object]) -> str:
        """Add an *automation*, as its page does; return its entity."""
        self.ask(f"/api/config/automation/config/{name}", {"alias": name, **automation})
        until(lambda: self.state(f"automation.{name}") == "on")
        return f"automation.{name}"

    def ask(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Return what it answers; with a *body* it is a POST."""
        return json.loads(self._fetch(path, body))

    def _read(self, entity: str) -> dict[str, Any]:
        try:
            told: dict[str, Any] = self.ask(f"/api/states/{entity}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return {}
        return told

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, (
            f"Home Assistant ended: {(self._folder / 'said').read_text()}"
        )
        try:
            self._fetch("/manifest.json")
        except OSError:
            return False
        return True

    def _join(self) -> None:
        """Make the first user, sign in, and let the MQTT integration in."""
        me = {"client_id": f"{self.url}/", "language": "en"}
        person = {"name": "Keeper", "username": "keeper", "password": "nobody-else"}
        code = self.ask("/api/onboarding/users", {**me, **person})["auth_code"]
        grant = {"grant_type": "authorization_code", "code": code, "client_id": me["client_id"]}
        asked = urllib.request.Request(
            f"{self.url}/auth/token", urllib.parse.urlencode(grant).encode()
        )
        with urllib.request.urlopen(asked, timeout=_ASK_S) as answer:
            self._token = json.load(answer)["access_token"]
        flows = "/api/config/config_entries/flow"
        flow = self.ask(flows, {"handler": "mqtt", "show_advanced_options": False})["flow_id"]
        told = self.ask(f"{flows}/{flow}", {"broker": "127.0.0.1", "port": self._broker})
        assert told["type"] == "create_entry", told

    def _fetch(self, path: str, body: Mapping[str, object] | None = None) -> bytes:
        asked = urllib.request.Request(
            self.url + path, None if body is None else json.dumps(body).encode()
        )
        asked.add_header("Content-Type", "application/json")
        if self._token:
            asked.add_header("Authorization", f"Bearer {self._token}")
        with urllib.request.urlopen(asked, timeout=_ASK_S) as answer:
            told: bytes = answer.read()
        return told
