"""Setting Memoranda up inside the coding agents that people use."""
