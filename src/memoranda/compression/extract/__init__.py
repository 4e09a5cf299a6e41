"""Fewer words without a model: the parts of a text that say most, as they stand there."""
