"""JSON-RPC 2.0: operations by name, over HTTP and standard streams."""
