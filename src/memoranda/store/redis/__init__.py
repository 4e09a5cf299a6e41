"""What Redis 6 or newer, or Valkey, may hold: nothing that would be missed if it were lost."""
