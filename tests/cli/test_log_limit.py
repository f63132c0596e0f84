"""The log's limit: one complaint again and again fills no card, and is told of all the same."""

import io
import logging
import subprocess
import sys

from kloplei.cli._log_limit import MOST, LogLimit


def test_a_complaint_is_written_so_often_and_then_counted() -> None:
    times_s = [0.0, 1.0, 2.0, 3.0, 59.0, 60.0, 61.0, 62.0]
    clock = iter(times_s)
    written = io.StringIO()
    to_log = logging.StreamHandler(written)
    to_log.addFilter(LogLimit(most=3, within_s=60.0, now=lambda: next(clock)))
    log = logging.getLogger("kloplei.limited")
    log.propagate = False
    log.addHandler(to_log)

    for _ in times_s[:-1]:
        log.warning("Phone %d complains", 7)
    log.warning("This is another line")

    assert written.getvalue().splitlines() == [
        *["Phone 7 complains"] * 3,
        "Phone 7 complains (2 more like this were left out)",
        "Phone 7 complains",
        "This is another line",
    ]


def test_a_command_that_complains_all_night_fills_no_log() -> None:
    program = f"""if True:
        import logging
        from kloplei.cli.main import main
        def complain(_):
            for _ in range({5 * MOST}):
                logging.getLogger("kloplei.panel").warning("Once more")
            return 0
        from kloplei.replay import commands
        register = commands.register
        def registered(parsers):
            register(parsers)
            parsers.choices["judge"].set_defaults(run=complain)
        commands.register = registered
        main(["judge", "--game", "toepen", "H7"])
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stderr.count("Once more") == MOST, done.stderr
