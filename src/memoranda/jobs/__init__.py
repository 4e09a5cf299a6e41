"""Jobs: derived work, queued with its cause and run by a worker."""
