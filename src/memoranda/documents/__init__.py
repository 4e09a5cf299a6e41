"""Documents: JSON that a program stores by space and key."""
