"""Hold: what a task keeps at hand for a while."""
