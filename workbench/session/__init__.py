"""One session on disk: its log, its blobs, and the state that folding the log gives."""
