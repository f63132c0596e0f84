"""The key that signs cookies, as it is at this moment: a new one makes old cookies worthless."""

from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import URLSafeTimedSerializer

from kloplei_panel.panel import Panel


class NewestKey(SecureCookieSessionInterface):
    """Signs and reads with what `PanelSettings.read_key` returns now."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the signer of this moment; Flask asks before it reads and before it writes."""
        panel: Panel = app.extensions["kloplei"]
        if panel.settings.read_key is not None:
            app.secret_key = panel.settings.read_key()
        return super().get_signing_serializer(app)
