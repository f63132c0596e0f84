"""The slate on every phone: a Flask app over a `TableClient`."""
