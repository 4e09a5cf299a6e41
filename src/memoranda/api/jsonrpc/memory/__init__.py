"""The 21 `memory.*` methods of agents that speak of stages, errors and criticality.

Each carries out operations of the table under the names that such agents know, and decides
nothing itself: who may ask, and what they see, is what the operations say.
"""
