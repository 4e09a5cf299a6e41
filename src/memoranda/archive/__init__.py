"""Archives: the data of a team, workspace or agent in one portable file."""
