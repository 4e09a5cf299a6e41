"""Proposals: changes to memories that await a person's decision."""
