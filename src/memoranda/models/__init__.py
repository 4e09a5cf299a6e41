"""Models and tokenizers: one module per provider, imported on first use."""
