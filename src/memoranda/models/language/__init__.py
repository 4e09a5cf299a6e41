"""Language models from providers, with one small interface."""
