"""Calls from outside: arguments as JSON become values of this package, and their types a schema."""
