"""The web page: shows the contents and activity of a memory to people."""
