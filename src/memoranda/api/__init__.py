"""Interfaces for programs: REST, JSON-RPC, MCP, the server and its client."""
