"""Models and tokenizers: one file per provider, each imported only when it is used."""
