"""Repeated requests: the first answer, returned again for the same key."""
