"""What other systems remembered, read from their own files."""
