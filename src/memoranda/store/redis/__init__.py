"""Redis 6 or newer, or Valkey, for cached and expiring data only.

Losing its content loses no data.
"""
