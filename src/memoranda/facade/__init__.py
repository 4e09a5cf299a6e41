"""The parts of the facade: one class for each group of use cases, on one shared base."""
