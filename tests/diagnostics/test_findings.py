"""A report to copy: all that helps, and nothing that is secret."""

from dataclasses import replace

from kloplei.config.reader import parse_config
from kloplei.config.settings import Config
from kloplei.diagnostics.findings import good, poor, write_report

FOUND = [good("power", "power.good"), poor("table", "table.stopped", "do.start-table")]
SECRETS = """
[panel]
pin = "8361"
[network]
name = "Cafe de Klop"
password = "tienlevens"
[table]
seats = 4
"""


def test_each_finding_has_its_line_and_its_step() -> None:
    report = write_report(FOUND)

    assert "ok   power: The voltage has been good since the start.\n" in report
    assert "note table: It does not run. Start it: sudo systemctl start" in report
    assert "Settings" not in report


def test_settings_that_differ_are_told_but_for_the_secret_ones() -> None:
    report = write_report(FOUND, parse_config(SECRETS, "kloplei.toml"))

    assert "  table.seats = 4\n" in report
    for secret in ("8361", "tienlevens", "de Klop"):
        assert secret not in report


def test_a_box_with_usual_settings_says_so() -> None:
    usual = Config()

    assert write_report([], replace(usual)).endswith("not the default:\n  none\n")
