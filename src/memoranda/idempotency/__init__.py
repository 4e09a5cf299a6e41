"""Repeated requests, to which the first response is returned again."""
