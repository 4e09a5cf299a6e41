"""One module for each page: what it is called, its routes, and what they answer."""
