"""The 21 `memory.*` methods: stages, errors and criticality.

Each method is an adapter that calls operations of the table. It makes no decisions of its own: the
operations define who may call them and what the caller sees.
"""
