"""Distil: long tasks in fewer words, with the facts that matter."""
