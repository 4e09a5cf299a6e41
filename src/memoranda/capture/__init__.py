"""Capture: reads events of coding agents and stores them as observations."""
