"""Embedders: one local, others over HTTP; dependencies load at first use."""
