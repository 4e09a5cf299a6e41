"""JSON-RPC 2.0: operations by name, over HTTP and over standard input and output."""
