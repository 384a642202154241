"""The barnabas command."""
