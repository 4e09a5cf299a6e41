"""Banks: the memories of one workspace, or of the whole team."""
