"""Learn: memories that people and agents state, where they came from, and forgetting."""
