"""Reads a history, message by message, into plain messages and code blocks.

A block continues while calls of its program and their results follow. It ends with the program's
result, with text of the assistant, or with the next program. A user message interrupts it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from coderelay.conversation import call_ids
from coderelay.conversation.block_builder import BlockBuilder, IdContent, short_id
from coderelay.conversation.entries import ConversationEntry, Message, PlainMessage
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.state_text import InflateBudget
from coderelay.conversation.turn_errors import HistoryError, StateError, TooLarge
from coderelay.core import Completed, Failed, Json, Limits, RequestError, Tool
from coderelay.core.json_counts import ValueBudget

MOST_PROGRAMS = 10_000
"""How many programs a history may have. One call id may carry a hundred programs, so the length of
a history does not limit their number."""
_DAMAGED = ""


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """A call that a client sent back. `message` is the call in the format of Chat Completions;
    `direct` means that the client marked it as made by the model itself, not by a program."""

    id: str
    name: str
    arguments: Json
    message: Message
    direct: bool = False


class History:
    """Takes the messages of a history in order, and returns the conversation from `entries()`.

    In all methods, `where` names the message, for errors.
    """

    def __init__(self, tools: Sequence[Tool], limits: Limits) -> None:
        self.budget = InflateBudget()
        """What all states in this history may unpack to."""
        self._tools = {tool.name: tool for tool in tools}
        self._limits = limits
        self._read: list[PlainMessage | BlockBuilder] = []
        self._open: BlockBuilder | None = None
        self._by_id: dict[str, BlockBuilder] = {}
        self._by_key: dict[str, BlockBuilder] = {}
        self._questions = 0
        """How many user messages there are at the end so far."""
        self._plain_ids: set[str] = set()
        self._stray: HistoryError | None = None
        self._begun = 0

    def add_message(self, message: Message) -> None:
        """Add a message that is neither a call nor an answer."""
        role = message.get("role")
        if role in ("system", "developer"):
            self.add_remark(message)
            return
        if self._open is not None:
            self._open.interrupted = role == "user"
        self._append(PlainMessage(message))

    def add_user_text(self, message: Message) -> None:
        """Add a user's text from an API that has answers and text in one message.

        If all calls of the open block are answered, the block goes on, and the model gets the text
        after it.
        """
        if self._open is not None and self._open.answered:
            self.add_remark(message)
        else:
            self.add_message(message)

    def add_remark(self, message: Message) -> None:
        """Add a message that does not interrupt the open block, such as a picture that a tool
        returned. The model gets it after the block."""
        if self._open is not None:
            self._open.remarks.append(PlainMessage(message))
        else:
            self._append(PlainMessage(message))

    def add_calls(
        self, message: Message, calls: Sequence[ReturnedCall], *, text: str, where: str
    ) -> None:
        """Add an assistant message with tool calls: a program's, the model's own, or both."""
        # A direct call means that the open program has ended, though its result was left out.
        has_direct = any(call.direct for call in calls)
        if self._open is not None and self._open.bracketed and not has_direct:
            self._open.text = self._open.text or text
            for call in calls:
                self._add(self._open, call, self._read_id(call.id), where)
            return
        direct = [call for call in calls if not call_ids.is_ours(call.id)]
        if direct:
            self._append(
                PlainMessage({**message, "tool_calls": [dict(each.message) for each in direct]})
            )
            self._mark_direct(call.id for call in direct)
        for call in calls:
            if call_ids.is_ours(call.id):
                id_content = self._read_id(call.id)
                block = self._block_of(id_content)
                block.text = block.text or ("" if direct else text)
                self._add(block, call, id_content, where)

    def awaits(self, id: str) -> bool:
        """Return whether a program waits for the answer to this call."""
        return id in self._by_id and id not in self._plain_ids

    def add_answer(
        self, message: Message, id: str, content: str | None, *, is_error: bool, where: str
    ) -> None:
        """Add a tool message: the answer to a program's call or to a direct one."""
        block = self._by_id.get(id)
        if self._open is not None and self._open.knows(id):
            block = self._open
        if block is not None:
            self._resume(block)
            block.add_answer(id, content, is_error=is_error, where=where)
        elif id in self._plain_ids:
            self._append(PlainMessage(message))
        elif self._open is not None or call_ids.is_ours(id):
            reason = "is the answer to a call that is not in the conversation: send the call too"
            stray = HistoryError(f"{short_id(id)} {reason}", where)
            if self._open is not None:
                self._open.problems.append(stray)
            else:
                self._stray = self._stray or stray
        else:
            self._append(PlainMessage(message))

    def begin_program(self, state: ProgramState, *, problem: RequestError | None = None) -> None:
        """Begin the block of a program that is a message of the history. All calls up to its result
        belong to it. `problem` says why it cannot run, if so."""
        block = self._begin_state(state, bracketed=True)
        if problem is not None:
            block.problems.append(problem)

    def end_program(self, id: str, outcome: Completed | Failed, *, where: str) -> None:
        """End the open block with its outcome. The result of a program that was trimmed from the
        history is ignored."""
        block, self._open = self._open, None
        if block is None or block.program is None:
            return
        if block.program.id != id:
            reason = "does not belong to the program before it: send messages in their order"
            raise HistoryError(f"the result of {short_id(id)} {reason}", where)
        block.outcome = outcome

    def entries(self) -> tuple[ConversationEntry, ...]:
        """Return the conversation. Raises a `RequestError` if its open block has a problem."""
        if self._stray is not None and self._open is None:
            raise self._stray
        return tuple(reversed([*self._finished()]))

    def _finished(self) -> Iterable[ConversationEntry]:
        """Yield the entries, the last one first, so that the newest results are counted before the
        budget is spent on old ones."""
        budget = ValueBudget()
        for each in reversed(self._read):
            if isinstance(each, PlainMessage):
                yield each
                continue
            block = each.finish(self._tools, self._limits, budget, open=each is self._open)
            if block.program is not None or block.journal or block.pending:
                yield block

    def _append(self, entry: PlainMessage | BlockBuilder) -> None:
        self._read.append(entry)
        self._open = entry if isinstance(entry, BlockBuilder) else None
        self._questions = self._questions + 1 if _is_question(entry) else 0
        self._stray = None

    def _begin(self, block: BlockBuilder) -> BlockBuilder:
        self._begun += 1
        if self._begun > MOST_PROGRAMS:
            raise TooLarge(
                f"the history has more than {MOST_PROGRAMS:,} programs: send a shorter history"
            )
        self._append(block)
        self._by_key[block.key] = block
        return block

    def _begin_state(self, state: ProgramState, *, bracketed: bool = False) -> BlockBuilder:
        """Begin the blocks of the earlier programs in a state, and of its own program."""
        for program in state.earlier:
            before = replace(state, program=program, arguments="", earlier=())
            self._begin(BlockBuilder(before, call_ids.key(program.id)))
        return self._begin(BlockBuilder(state, call_ids.key(state.program.id), bracketed))

    def _add(
        self, block: BlockBuilder, call: ReturnedCall, id_content: IdContent, where: str
    ) -> None:
        block.add_call(call.id, call.name, call.arguments, id_content=id_content, where=where)
        self._by_id[call.id] = block
        self._plain_ids.discard(call.id)

    def _mark_direct(self, ids: Iterable[str]) -> None:
        """Note that these ids are calls of the model itself, whatever they were before."""
        for id in ids:
            self._by_id.pop(id, None)
            self._plain_ids.add(id)

    def _block_of(self, id_content: IdContent) -> BlockBuilder:
        """Return the block that a program's call belongs to, and begin it if there is none."""
        if id_content is None or isinstance(id_content, StateError):
            return self._begin(BlockBuilder(None, _DAMAGED))
        if isinstance(id_content, ProgramState):
            key = call_ids.key(id_content.program.id)
            if self._open is not None and self._open.key == key:
                return self._open
            return self._begin_state(id_content)
        if self._open is not None and self._open.key in (id_content.program, _DAMAGED):
            return self._open
        block = self._by_key.get(id_content.program)
        if block is None:
            return self._begin(BlockBuilder(None, id_content.program))
        self._resume(block)
        return block

    def _read_id(self, id: str) -> IdContent:
        """Decode an id, or return None if it was not made by this server."""
        if not call_ids.is_ours(id):
            return None
        try:
            return call_ids.decode(id, self.budget)
        except StateError as error:
            return error

    def _resume(self, block: BlockBuilder) -> None:
        """Reopen a block for which answers come after user messages. The model gets those messages
        after the block."""
        if self._open is block or block.outcome is not None:
            return
        first = len(self._read) - self._questions
        if self._read[first - 1] is block:
            block.remarks.extend(
                each for each in self._read[first:] if isinstance(each, PlainMessage)
            )
            del self._read[first:]
            block.interrupted = False
            self._open, self._questions, self._stray = block, 0, None


def _is_question(entry: PlainMessage | BlockBuilder) -> bool:
    return isinstance(entry, PlainMessage) and entry.message.get("role") == "user"


__all__ = ["History", "ReturnedCall"]
