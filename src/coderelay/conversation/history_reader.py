"""A history is read message by message into plain messages and code blocks.

A block goes on while its calls and their results come, and ends with its `code_result`, with
anything the assistant says, or with the next program. A user message after it interrupts it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderelay.conversation import call_ids
from coderelay.conversation.block_builder import BlockBuilder, Said, brief
from coderelay.conversation.entries import ConversationEntry, Message, PlainMessage
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.state_text import Room
from coderelay.conversation.turn_errors import DamagedState, HistoryError, TooLarge
from coderelay.core import Completed, Failed, Json, Limits, Program, RequestError, Tool
from coderelay.core.json_counts import ValueRoom

MOST_PROGRAMS = 10_000
"""Programs in a history. The id of a call may tell of a hundred, so its length is no bound."""
_DAMAGED = ""


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """A call as a client sent it back. `message` is the call in the client's own words; `direct`:
    it says of itself that no program made it."""

    id: str
    name: str
    arguments: Json
    message: Message
    direct: bool = False


class History:
    """Reads messages in order; `entries` are what they came to.

    `where` names the message, for errors.
    """

    def __init__(self, tools: Sequence[Tool], limits: Limits) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._limits = limits
        self._read: list[PlainMessage | BlockBuilder] = []
        self._open: BlockBuilder | None = None
        self._by_id: dict[str, BlockBuilder] = {}
        self._by_key: dict[str, BlockBuilder] = {}
        self._questions = 0
        """User messages that nothing has followed yet."""
        self._plain_ids: set[str] = set()
        self._stray: HistoryError | None = None
        self._room = Room()
        self._begun = 0

    def plain(self, message: Message) -> None:
        """A message that is neither a call nor an answer."""
        role = message.get("role")
        if role in ("system", "developer"):
            self.aside(message)
            return
        if self._open is not None:
            self._open.interrupted = role == "user"
        self._append(PlainMessage(message))

    def beside(self, message: Message) -> None:
        """What a person said, in an API that puts answers and words into one message: where a
        block lacks no answer, it goes on, and the words are shown after it."""
        if self._open is not None and self._open.answered:
            self.aside(message)
        else:
            self.plain(message)

    def aside(self, message: Message) -> None:
        """What nobody said, such as a picture that a tool gave: an open block goes on, and the
        model is shown it afterwards."""
        if self._open is not None:
            self._open.remarks.append(PlainMessage(message))
        else:
            self._append(PlainMessage(message))

    def calls(
        self, message: Message, calls: Sequence[ReturnedCall], *, text: str, where: str
    ) -> None:
        """An assistant message with tool calls: a block's, the model's own, or both."""
        own = any(call.direct for call in calls)  # then the end of an open block was left out
        if self._open is not None and self._open.bracketed and not own:
            self._open.text = self._open.text or text
            for call in calls:
                self._add(self._open, call, self._said(call.id), where)
            return
        direct = [call for call in calls if not call_ids.is_ours(call.id)]
        if direct:
            self._append(
                PlainMessage({**message, "tool_calls": [dict(each.message) for each in direct]})
            )
            self._own(call.id for call in direct)
        for call in calls:
            if call_ids.is_ours(call.id):
                said = self._said(call.id)
                block = self._block_of(said)
                block.text = block.text or ("" if direct else text)
                self._add(block, call, said, where)

    def expects(self, id: str) -> bool:
        """Whether a program waits for the answer to this call."""
        return id in self._by_id and id not in self._plain_ids

    def answer(
        self, message: Message, id: str, content: str | None, *, is_error: bool, where: str
    ) -> None:
        """A tool message."""
        block = self._by_id.get(id)
        if self._open is not None and self._open.knows(id):
            block = self._open
        if block is not None:
            self._resume(block)
            block.answer(id, content, is_error=is_error, where=where)
        elif id in self._plain_ids:
            self._append(PlainMessage(message))
        elif self._open is not None or call_ids.is_ours(id):
            stray = HistoryError(f"{brief(id)} answers no call of the conversation", where)
            if self._open is not None:
                self._open.problems.append(stray)
            else:
                self._stray = self._stray or stray
        else:
            self._append(PlainMessage(message))

    def code(self, program: Program, *, problem: RequestError | None = None) -> None:
        """A program begins a block that brackets all that follows. `problem`: why it cannot run."""
        block = self._begin(BlockBuilder(program, call_ids.key(program.id), bracketed=True))
        if problem is not None:
            block.problems.append(problem)

    def code_result(self, id: str, outcome: Completed | Failed, *, where: str) -> None:
        """A program's end. One whose beginning was trimmed away is nothing to anybody."""
        block, self._open = self._open, None
        if block is None or block.program is None:
            return
        if block.program.id != id:
            raise HistoryError(f"the result of {brief(id)} ends a program that is not open", where)
        block.outcome = outcome

    def entries(self) -> tuple[ConversationEntry, ...]:
        """The conversation. Raises what is wrong with its open block."""
        if self._stray is not None and self._open is None:
            raise self._stray
        return tuple(reversed([*self._finished()]))

    def _finished(self) -> Iterable[ConversationEntry]:
        """The entries, the last one first: so its results are the last to be refused for want of
        room."""
        room = ValueRoom()
        for each in reversed(self._read):
            if isinstance(each, PlainMessage):
                yield each
                continue
            block = each.finish(self._tools, self._limits, room, open=each is self._open)
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

    def _add(self, block: BlockBuilder, call: ReturnedCall, said: Said, where: str) -> None:
        block.call(call.id, call.name, call.arguments, said=said, where=where)
        self._by_id[call.id] = block
        self._plain_ids.discard(call.id)

    def _own(self, ids: Iterable[str]) -> None:
        """These ids are now the model's own calls, whatever they were before."""
        for id in ids:
            self._by_id.pop(id, None)
            self._plain_ids.add(id)

    def _block_of(self, said: Said) -> BlockBuilder:
        """The block that a call of ours belongs to, begun where it is not there yet."""
        if said is None or isinstance(said, DamagedState):
            return self._begin(BlockBuilder(None, _DAMAGED))
        if isinstance(said, ProgramState):
            key = call_ids.key(said.program.id)
            if self._open is not None and self._open.key == key:
                return self._open
            for program in said.earlier:
                self._begin(_begun(program, said))
            return self._begin(_begun(said.program, said))
        if self._open is not None and self._open.key in (said.program, _DAMAGED):
            return self._open
        block = self._by_key.get(said.program)
        if block is None:
            return self._begin(BlockBuilder(None, said.program))
        self._resume(block)
        return block

    def _said(self, id: str) -> Said:
        """What an id says, if it is one of ours."""
        if not call_ids.is_ours(id):
            return None
        try:
            return call_ids.decode(id, self._room)
        except DamagedState as error:
            return error

    def _resume(self, block: BlockBuilder) -> None:
        """Words between the calls and their results do not end a block: they are shown after."""
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


def _begun(program: Program, state: ProgramState) -> BlockBuilder:
    key = call_ids.key(program.id)
    return BlockBuilder(program, key, fingerprint=state.fingerprint, tools=state.tools)


def _is_question(entry: PlainMessage | BlockBuilder) -> bool:
    return isinstance(entry, PlainMessage) and entry.message.get("role") == "user"


__all__ = ["History", "ReturnedCall"]
