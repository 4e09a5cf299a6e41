"""The Model Context Protocol: operations as tools, memory as resources."""
