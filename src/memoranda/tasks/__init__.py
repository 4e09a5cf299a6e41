"""Tasks: units of work in a workspace, from their goal to their end."""
