"""Compression of stages and tasks into shorter texts that keep the facts."""
