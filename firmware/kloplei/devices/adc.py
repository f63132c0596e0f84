"""What the converters MCP3008 and MCP3208 want to hear and what they answer, bit by bit."""

BITS = {"mcp3008": 10, "mcp3208": 12}
"""How finely each chip reads."""
