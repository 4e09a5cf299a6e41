"""The same memory on a server somewhere else."""
