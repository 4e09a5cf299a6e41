"""Proposals: changes of memories that await a person's decision."""
