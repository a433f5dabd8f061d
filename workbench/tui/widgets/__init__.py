"""Widgets of the screens: they take view data and post messages."""
