"""Tools: the memory tools of agents, and how reliable tools are."""
