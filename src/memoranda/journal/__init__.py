"""The journal of all operations, append-only and hash-chained."""
