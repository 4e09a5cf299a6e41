"""The server process: what listens, who is let in, how much at a time, and how it ends."""
