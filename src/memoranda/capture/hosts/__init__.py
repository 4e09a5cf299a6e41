"""What hosts have in common: how they build messages, and whose text each part is."""
