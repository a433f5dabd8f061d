"""The trajectory room."""
