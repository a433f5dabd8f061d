"""The media room."""
