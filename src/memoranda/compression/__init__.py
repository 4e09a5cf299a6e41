"""Compression: shorter texts for stages and tasks that keep their facts."""
