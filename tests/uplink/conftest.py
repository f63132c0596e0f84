"""A broker for all tests of a module, which lets everybody do everything, and a certificate."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei_hub.servers import Broker


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that signed itself, for this machine."""
    folder = tmp_path_factory.mktemp("tls")
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30"
    where = (
        f"-keyout {folder}/key -out {folder}/pem -subj /CN=hub -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run([*make.split(), *where.split()], check=True, capture_output=True)
    return folder
