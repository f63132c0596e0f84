"""A NetworkManager of some dozen lines behind nmcli's face, told and watched by a JSON file.

What it prints, and its exit statuses, were taken down from nmcli 1.42.4 and nmcli(1).
"""

import json
import os
import sys
from pathlib import Path
from typing import Any


def escaped(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace(":", "\\:")


def refuse(status: int, said: str) -> int:
    print(f"Error: {said}", file=sys.stderr)
    return status


def table(rows: list[list[object]]) -> int:
    for row in rows:
        print(":".join(map(escaped, row)))
    return 0


def add(box: Any, words: list[str]) -> int:
    given = dict(zip(words[::2], words[1::2], strict=True))
    name = given.pop("con-name")
    if given["type"] == "dummy" and box.get("no_dummy"):
        return refuse(4, "Failed to create dummy interface: Operation not supported")
    given["connection.interface-name"] = given.pop("ifname")
    if "ssid" in given:
        given["802-11-wireless.ssid"] = given.pop("ssid")
    box["profiles"][name] = given
    print(f"Connection '{name}' (d344ec6e-5d78-466b-a7a7-a29abd4aa270) successfully added.")
    return 0


def up(box: Any, name: str) -> int:
    if box.get("up_fails") and name == "kloplei":
        return refuse(4, f"Connection activation failed: {box['up_fails']}")
    device = box["profiles"][name]["connection.interface-name"]
    for row in box["devices"]:
        if row[0] == device:
            row[2:] = ["connected", name]
    print("Connection successfully activated (D-Bus active path: /org/freedesktop/3)")
    return 0


def delete(box: Any, name: str) -> int:
    if name not in box["profiles"]:
        return refuse(10, f"unknown connection '{name}'.")
    del box["profiles"][name]
    for row in box["devices"]:
        if row[3] == name:  # the house's own comes back by itself
            row[2:] = ["connected", box["house"]] if box.get("house") else ["disconnected", ""]
    return 0


def show(box: Any, names: list[str], profile: str) -> int:
    if profile not in box["profiles"]:
        return refuse(10, f"{profile} - no such connection profile.")
    for name in names:
        print(escaped(box["profiles"][profile].get(name, "")))
    return 0


def answer(box: Any, words: list[str]) -> int:
    if not box.get("running", True):
        return refuse(8, "NetworkManager is not running.")
    options = []
    while words[0].startswith("--"):
        options.append(words.pop(0))
        if options[-1] in ("--wait", "--fields", "--get-values"):
            options.append(words.pop(0))
    match words:
        case ["device", "status"]:
            return table(box["devices"])
        case ["radio"]:
            return table([box.get("radio", ["enabled", "enabled"])])
        case ["device", "wifi", "list", "ifname", _]:
            return table(box.get("heard", []))
        case ["connection", "add", *given]:
            return add(box, given)
        case ["connection", "up", name]:
            return up(box, name)
        case ["connection", "delete", "id", name]:
            return delete(box, name)
        case ["connection", "show", name]:
            return show(box, options[options.index("--get-values") + 1].split(","), name)
    return refuse(2, f"invalid command '{' '.join(words)}'.")


def main() -> int:
    state = Path(os.environ["FAKE_NMCLI"])
    box = json.loads(state.read_text())
    box["asked"].append(sys.argv[1:])
    status = answer(box, sys.argv[1:])
    state.write_text(json.dumps(box))
    return status


if __name__ == "__main__":
    sys.exit(main())
