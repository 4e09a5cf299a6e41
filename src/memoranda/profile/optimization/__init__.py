"""Proposals that make a profile smaller without losing facts."""
