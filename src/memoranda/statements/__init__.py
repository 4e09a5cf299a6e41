"""Comparison of plain statements: conflict, or update by the newer one.

Pure functions over English text; vectors are computed elsewhere and passed as cosines only.
"""
