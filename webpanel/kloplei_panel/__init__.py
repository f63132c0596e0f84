"""The slate on every phone: a Flask app over a `TableClient`."""

from kloplei_panel.app import create_app
from kloplei_panel.demo import DemoTable
from kloplei_panel.settings import PanelSettings

__all__ = ["DemoTable", "PanelSettings", "create_app"]
