"""What a person's turn says to the memory: feedback, spoken commands, the same suggestion again.

Pure functions over text, in English; vectors come from an embedder that is passed in, or not at
all.
"""

from memoranda.learn.feedback.commands import command
from memoranda.learn.feedback.model import read_with_vectors
from memoranda.learn.feedback.points import read_feedback
from memoranda.learn.feedback.suggestions import same_suggestion

__all__ = ["command", "read_feedback", "read_with_vectors", "same_suggestion"]
