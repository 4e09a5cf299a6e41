"""Extractive compression without a model: selects the most relevant parts.

The parts are copied verbatim.
"""
