"""The web page: what a memory holds and does, shown to people in a browser."""
