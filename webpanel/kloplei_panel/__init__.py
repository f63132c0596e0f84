"""The slate on every phone: a Flask app over a `TableClient`.

A request comes in through `server`. `access` turns away what is not ours and lets a phone in that
somebody knocked for, `reader` knows who is there, `requests` reads what they ask, and the table
does it or refuses. `pages` answer people and `api` programs, both by `answers`; `controls` and
`hearing` put the scoreboard and the box's ears into words. `fragments` draws once what many read,
`broadcast` sends it to all who follow (as many as `followers` lets), and `stage` keeps what fills
large screens for a moment. `context` holds the parts of one app, and nothing here owns any of the
game: the panel may stop and start while the evening goes on. Read `app` first.
"""

from kloplei_panel.app import create_app
from kloplei_panel.context import DemoTable, PanelSettings

__all__ = ["DemoTable", "PanelSettings", "create_app"]
