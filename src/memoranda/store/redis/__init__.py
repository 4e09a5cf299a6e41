"""Redis 6 or newer, or Valkey: cached and expiring data only.

Losing its content loses no data.
"""
