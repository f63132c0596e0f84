"""The slate on every phone: a Flask app over a `TableClient`."""

from kloplei_panel.app import create_app
from kloplei_panel.context import DemoTable, PanelSettings

__all__ = ["DemoTable", "PanelSettings", "create_app"]
