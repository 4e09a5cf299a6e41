"""Embedders: one local, others over HTTP; dependencies load on first use."""
