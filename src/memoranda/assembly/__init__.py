"""The services of an open store, constructed and connected to each other."""
