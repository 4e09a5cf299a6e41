"""HTTP routes of mem0, hosted and open source, over our memories."""
