"""The board of panes: where each one stands, the lines between them, and moving those lines."""
