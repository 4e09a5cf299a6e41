"""Text analysis that all domain packages share."""
