"""Tests of the view data: no Textual, no screen."""
