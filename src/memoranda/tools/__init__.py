"""Tools: the memory tools of agents, and the reliability of tools."""
