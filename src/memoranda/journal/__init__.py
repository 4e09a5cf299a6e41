"""The journal: every operation, append-only and hash-chained."""
