"""Web pages, one module each: menu entry, routes and handlers."""
