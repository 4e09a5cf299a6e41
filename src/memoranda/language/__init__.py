"""Reading text: the analysis that all nouns share."""
