"""Models and tokenizers: one module per provider, imported at first use."""
