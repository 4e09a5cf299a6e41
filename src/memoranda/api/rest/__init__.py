"""REST: operations as resources, described by OpenAPI."""
