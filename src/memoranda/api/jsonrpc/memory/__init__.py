"""The 21 `memory.*` methods: stages, errors and criticality.

Each carries out operations of the table under the names that agents of such a protocol know, and
decides nothing itself: the operations define who may call them and what the caller sees.
"""
