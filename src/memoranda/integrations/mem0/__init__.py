"""HTTP routes of mem0, hosted and open source, for Memoranda's memories."""
