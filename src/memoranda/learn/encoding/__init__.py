"""Encoding: what a text says, taken apart without a model.

Pure functions over text, in English; nothing here reads a store or a clock.
"""

from memoranda.learn.encoding.encoding import VERSION, encode
from memoranda.learn.encoding.entities import entities
from memoranda.learn.encoding.sentences import prose, sentences
from memoranda.learn.encoding.types import reading, told

__all__ = [
    "VERSION",
    "encode",
    "entities",
    "prose",
    "reading",
    "sentences",
    "told",
]
