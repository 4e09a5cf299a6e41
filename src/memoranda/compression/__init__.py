"""Compression: stages and tasks in fewer tokens, without their loss of facts."""
