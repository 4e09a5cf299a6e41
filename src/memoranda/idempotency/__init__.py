"""Repeated requests, for which the first response is returned again."""
