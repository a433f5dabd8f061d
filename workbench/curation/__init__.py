"""The curation room."""
