"""The nouns of Memoranda: frozen, typed, without I/O."""
