"""Quarantine: text from outside that reads like an instruction."""
