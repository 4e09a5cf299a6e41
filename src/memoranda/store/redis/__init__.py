"""Redis 6 or newer, or Valkey: cached and expiring data only.

Nothing stored there would be missed if it were lost.
"""
