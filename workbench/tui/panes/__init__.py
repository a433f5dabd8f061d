"""Panes of the session screen: they take plain view data, post messages, know no session."""
