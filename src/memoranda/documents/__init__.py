"""Documents: JSON that a program keeps under a space and a key."""
