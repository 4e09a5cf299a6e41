"""Search over observations and memories."""
