"""External calls: JSON arguments to Python values, and types to schemas."""
