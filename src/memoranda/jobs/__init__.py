"""Jobs: derived work, queued with its cause and done by a worker."""
