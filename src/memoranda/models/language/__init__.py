"""Language models of providers, behind one small interface."""
