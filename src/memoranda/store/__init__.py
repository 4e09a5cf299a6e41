"""The store: one seam, portable tables, one folder per engine."""
