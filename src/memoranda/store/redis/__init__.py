"""Redis 6 or newer, or Valkey, for cached and expiring data only.

If the content of the server is lost, no data is lost.
"""
