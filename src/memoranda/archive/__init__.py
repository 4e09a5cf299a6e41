"""Archives: what a team, a workspace or an agent has, in one file that any program can read."""
