"""Upkeep: status, health checks and statistics of a store."""
