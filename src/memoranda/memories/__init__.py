"""Memories: durable pieces of knowledge, their versions and relations."""
