"""Parser of a person's messages to a coding agent: parts and labels."""
