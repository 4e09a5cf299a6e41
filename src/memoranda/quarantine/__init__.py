"""Quarantine of external text that reads like an instruction to the agent."""
