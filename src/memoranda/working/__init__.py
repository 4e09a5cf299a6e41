"""Working memory: notes of a task that expire."""
