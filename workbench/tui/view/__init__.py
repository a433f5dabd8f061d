"""State as plain view data: what each part of a screen shows. Knows nothing of Textual."""
