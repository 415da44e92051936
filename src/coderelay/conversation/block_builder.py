"""A code block as a history tells it: calls under their ids, answers in any order.

What is wrong in it is remembered, not raised: only the open block can be an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from coderelay.conversation import call_ids
from coderelay.conversation.entries import CodeBlock, HandedCall, PlainMessage
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.tool_results import result
from coderelay.conversation.turn_errors import DamagedState, HistoryError, TooLarge
from coderelay.core import (
    Completed,
    Entry,
    Failed,
    Json,
    Limits,
    Program,
    RequestError,
    Result,
    Returned,
    Tool,
)
from coderelay.core.json_counts import TooManyValues, ValueRoom
from coderelay.core.json_values import size

Said: TypeAlias = ProgramState | call_ids.LaterCall | DamagedState | None
"""What a call's id says; None where it is not one of ours."""


@dataclass(slots=True)
class _Told:
    call: HandedCall
    digest: str | None
    answered: bool = False
    content: str | None = None
    is_error: bool = False


@dataclass(slots=True, eq=False)
class BlockBuilder:
    """A block under assembly. `bracketed`: it began with a `code` message, so all calls up to
    its end are its own, whatever their ids look like."""

    program: Program | None
    key: str
    bracketed: bool = False
    fingerprint: str | None = None
    tools: frozenset[str] | None = None
    text: str = ""
    outcome: Completed | Failed | None = None
    interrupted: bool = False
    remarks: list[PlainMessage] = field(default_factory=list)
    problems: list[RequestError] = field(default_factory=list)
    _told: list[_Told] = field(default_factory=list)
    _latest: dict[str, _Told] = field(default_factory=dict)
    _waiting: int = 0

    def call(self, id: str, name: str, arguments: Json, *, said: Said, where: str) -> None:
        """A call was handed out. `said` is what its id says, where it is one of ours."""
        index, digest = self._place(said)
        waiting = self._latest.get(id)
        if waiting is not None and (call_ids.is_ours(id) or not waiting.answered):
            self.problems.append(HistoryError(f"the call {brief(id)} stands there twice", where))
            return
        told = _Told(HandedCall(id, index, name, arguments), digest)
        self._told.append(told)
        self._latest[id] = told
        self._waiting += 1

    @property
    def answered(self) -> bool:
        """Whether there are calls, and all of them have an answer."""
        return bool(self._told) and not self._waiting

    def knows(self, id: str) -> bool:
        """Whether a call of this block has that id."""
        return id in self._latest

    def answer(self, id: str, content: str | None, *, is_error: bool, where: str) -> None:
        """A call was answered."""
        told = self._latest[id]
        if told.answered:
            self.problems.append(HistoryError(f"the call {brief(id)} is answered twice", where))
            return
        told.answered, told.content, told.is_error = True, content, is_error
        self._waiting -= 1

    def finish(
        self, tools: Mapping[str, Tool], limits: Limits, room: ValueRoom, *, open: bool
    ) -> CodeBlock:
        """The block as a value; `room` is for the values in its results. Raises what is wrong with
        it, if it is the open one."""
        told = sorted(self._told, key=lambda each: each.call.index)
        problems = [*self.problems, *self._gaps(told), *self._excess(told, limits)]
        pending = tuple(each.call for each in told if not each.answered)
        if open:
            problems += [_unanswered(call.id) for call in pending]
            if problems:
                raise problems[0]
        journal, unread = _journal(told, tools, limits, room)
        if open and unread:
            raise unread[0]
        return CodeBlock(
            self.program,
            journal,
            pending,
            self.outcome,
            text=self.text,
            remarks=tuple(self.remarks),
            open=open,
            interrupted=self.interrupted or bool(pending),
            whole=self.program is not None and not problems and not unread and not pending,
            fingerprint=self.fingerprint,
            tools=self.tools,
        )

    def _place(self, said: Said) -> tuple[int, str | None]:
        """The index and the digest that an id of ours says; for other ids, the order decides."""
        if isinstance(said, DamagedState):
            if not self.bracketed:
                self.problems.append(said)
        elif said is not None:
            if isinstance(said, call_ids.LaterCall):
                if said.program == self.key:
                    return said.index, said.digest
            elif call_ids.key(said.program.id) == self.key:
                return 0, said.arguments
        return len(self._told), None

    def _gaps(self, told: list[_Told]) -> list[RequestError]:
        if self.program is None and told:
            first = told[0].call.id
            return [
                HistoryError(
                    f"the program of the call {brief(first)} is missing from the history: "
                    "send back all messages since the program's first call"
                )
            ]
        for place, each in enumerate(told):
            if each.call.index != place:
                missing = f"call {min(place, each.call.index)} of program {self.key!r}"
                reason = "is missing from the history" if each.call.index > place else "is doubled"
                return [HistoryError(f"{missing} {reason}, see {brief(each.call.id)}")]
        return []

    def _excess(self, told: list[_Told], limits: Limits) -> list[RequestError]:
        found: list[RequestError] = []
        if self.program is not None and size(self.program.source) > limits.source:
            which = f"the program {brief(self.program.id)}"
            found.append(TooLarge(f"{which} is longer than {limits.source:,} bytes: shorten it"))
        if len(told) > limits.calls:
            which = f"the program of the call {brief(told[0].call.id)}"
            found.append(TooLarge(f"{which} has more than {limits.calls:,} calls"))
        found += [
            TooLarge(
                f"the result of {brief(each.call.id)} is {size(each.content):,} bytes, "
                f"the limit is {limits.result:,}: send less"
            )
            for each in told
            if each.content is not None and size(each.content) > limits.result
        ]
        return found


def brief(id: str) -> str:
    """An id for a message: whole where it is short."""
    return repr(id if len(id) <= 80 else f"{id[:36]}…{id[-8:]}")


def _unanswered(id: str) -> HistoryError:
    return HistoryError(
        f"the call {brief(id)} was handed out and has no answer: send its result, too"
    )


def _journal(
    told: list[_Told], tools: Mapping[str, Tool], limits: Limits, room: ValueRoom
) -> tuple[tuple[Entry, ...], list[TooLarge]]:
    """The answered calls, and what was wrong with results that could not be read: those stay the
    text that they are."""
    journal: list[Entry] = []
    unread: list[TooLarge] = []
    for each in told:
        if not each.answered:
            continue
        call, content = each.call, each.content
        answer: Result = Returned(content)
        try:
            if content is None or each.is_error or size(content) <= limits.result:
                answer = result(
                    content, is_error=each.is_error, tool=tools.get(call.name), room=room
                )
        except TooManyValues as error:
            unread.append(TooLarge(f"the result of {brief(call.id)}: {error}; send less"))
        journal.append(Entry(call.name, call.arguments, answer, each.digest))
    return tuple(journal), unread
