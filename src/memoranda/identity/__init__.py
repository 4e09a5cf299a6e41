"""Identity: keys, tokens, sessions and the secrets that sign them."""
