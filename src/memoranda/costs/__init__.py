"""Costs: calls to language models, their prices and the monthly limit."""
