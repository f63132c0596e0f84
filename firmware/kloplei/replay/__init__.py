"""Records: hands written down in YAML, read with their line numbers and played by the rules."""
