"""Embedders: one on this machine, others over HTTP. What they need is loaded at their first use."""
