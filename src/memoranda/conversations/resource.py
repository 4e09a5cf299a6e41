"""Methods that add, read and compact messages of a conversation."""

from __future__ import annotations

from memoranda.agents.model import checked_id
from memoranda.calls.argument_check import stated_time
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.conversations.model import Compaction, Conversation, Message, MessageRole
from memoranda.exceptions import InvalidInput, empty_text
from memoranda.observations.model import ObservationType
from memoranda.operation_declaration import MEMBERS, read, write
from memoranda.page import Page, number_of
from memoranda.resource import Resource, member
from memoranda.scope import Scope
from memoranda.settings import CompactionMode
from memoranda.tasks.reference import TaskReference
from memoranda.text import is_blank, normalise


class ConversationsResource(Resource):
    """``memory.conversations``: messages exchanged with agents.

    A conversation belongs to a task; a session is a task with a name that you choose.
    """

    @write("conversations.add", roles=MEMBERS, alias=("message.add",))
    def add(
        self,
        content: str,
        *,
        role: MessageRole | str = MessageRole.USER,
        agent: str | None = None,
        session: str | None = None,
        task: TaskReference | None = None,
        workspace: str | None = None,
        at: int | str | None = None,
        key: str | None = None,
    ) -> Message:
        """Store a message of a conversation.

        The message is durable when this method returns. Secrets are removed from the returned
        message. If ``key`` is used again in the same conversation, nothing more is stored: a second
        call with the same text returns the first message.

        Args:
            role: user, assistant or system; rules in a user's message count as statements of a
                person.
            agent: the agent that writes or receives the message.
            session: a name that you choose for the conversation; a new name starts a task.
            task: an existing task, instead of a session.
            workspace: workspace of the session; each workspace has its own session names.
            at: time of the message, in microseconds, ISO 8601 or a datetime; default: now.

        Raises:
            InvalidInput: there is no text, the role is unknown, both a session and a task are
                specified, a name looks like a secret, or the time is before 1970.
            NotFound: there is no such task.
            Conflict: the conversation has a message with this key and another text.
        """
        if is_blank(content):
            raise empty_text("a message")
        said_at = stated_time(at, "at")
        if said_at is not None and said_at < 1:
            raise InvalidInput(
                f"`at` must be a time after 1970, not {at!r}; omit `at` for the current time"
            )
        host, name = self._place(session, task, workspace)
        if agent:
            self.memory._note_agent(checked_id(agent))
        event = Event(
            kind=EventKind.MESSAGE,
            host=host,
            session=name,
            source=EventSource.API,
            key=key or self._services.ids.new(),
            origin=member(MessageRole, role).origin,
            occurred_at=self._services.clock.now() if said_at is None else said_at,
            agent=agent or self._scope.agent or "main",
            text=content,
            type=ObservationType.MESSAGE,
        )
        written = self.memory.capture.take([event], workspace=workspace).last
        return self._services.conversations.message(self._stored(event, written))

    @read("conversations.list", alias=("message.list",))
    def list(
        self,
        task: TaskReference,
        *,
        agent: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Message]:
        """List the messages of a conversation verbatim, oldest first.

        Raises:
            NotFound: there is no such task.
        """
        scope, id = self._conversation(task)
        after = number_of(cursor, first=0)
        return self._services.conversations.messages(scope, id, _named(agent), after, limit)

    @read("conversations.show", alias=("message.show",))
    def show(self, task: TaskReference, *, agent: str | None = None) -> Conversation:
        """Show a conversation in the form that an agent reads.

        It consists of a summary, if there is one, and the newer messages. Without an agent, it
        covers all agents of the task.

        Raises:
            NotFound: there is no such task.
        """
        scope, id = self._conversation(task)
        return self._services.conversations.view(scope, id, _named(agent))

    @write("conversations.compact", alias=("message.compact",))
    def compact(
        self,
        task: TaskReference,
        *,
        agent: str | None = None,
        mode: CompactionMode | str | None = None,
        force: bool = False,
    ) -> Compaction | None:
        """Summarise the older messages of a conversation if it is too long.

        Nothing is deleted: the messages remain and can be searched. ``force`` summarises even if
        compaction is not due or is disabled. The result is None if there was nothing to do.

        Args:
            force: compact even if compaction is not due.

        Raises:
            NotFound: there is no such task.
            InvalidInput: the mode is unknown.
        """
        chosen = member(CompactionMode, mode) if mode else None
        scope, id = self._conversation(task)
        return self._services.conversations.compact(
            scope, id, _named(agent), mode=chosen, force=force
        )

    def _place(
        self, session: str | None, task: TaskReference | None, workspace: str | None
    ) -> tuple[str, str]:
        """Return the host and session of a message."""
        if session and task:
            raise InvalidInput("specify a session or a task, not both")
        if session is not None and is_blank(session):
            raise InvalidInput("the session name is empty; omit it for the default session")
        if task is None:
            return self._session(session or "default", self._label(workspace), new=True)
        chosen = self._within(workspace, task).task if workspace else task
        found = self._task(str(chosen))
        return found.host, found.session

    def _conversation(self, task: TaskReference) -> tuple[Scope, str]:
        """Return the scope and the id of an existing task."""
        scope = self._within(None, task)
        assert scope.task is not None
        return scope, scope.task


def _named(agent: str | None) -> str | None:
    return normalise(agent) if agent else None
