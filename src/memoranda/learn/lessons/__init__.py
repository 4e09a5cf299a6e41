"""What a task teaches: its record read once, an account of its approach, and lessons.

Everything is in the words of the record; a language model may put lessons into better ones.
English cues only.
"""

from memoranda.learn.lessons.account import account
from memoranda.learn.lessons.finding import lessons
from memoranda.learn.lessons.record import TaskRecord, read

__all__ = ["TaskRecord", "account", "lessons", "read"]
