"""Reads events of coding agents and stores them as observations."""
