"""Builds one code block from the calls and answers of a history.

Problems are collected, not raised: only those of the open block make the request fail, because the
others are only shown to the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from coderelay.conversation import call_ids
from coderelay.conversation.entries import CodeBlock, HandedCall, PlainMessage
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.tool_results import result
from coderelay.conversation.turn_errors import HistoryError, StateError, TooLarge
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
from coderelay.core.json_counts import TooManyValues, ValueBudget
from coderelay.core.json_values import size

IdContent: TypeAlias = ProgramState | call_ids.LaterCall | StateError | None
"""What a call's id contains, or None if the id was not made by this server."""


@dataclass(slots=True)
class _CallRecord:
    """A call of the block, and the client's answer once there is one."""

    call: HandedCall
    digest: str | None
    answered: bool = False
    content: str | None = None
    is_error: bool = False


@dataclass(slots=True, eq=False)
class BlockBuilder:
    """A block that is being read.

    `bracketed` means that the history has messages for the beginning and the end of the program:
    all calls in between belong to it, whatever their ids look like.
    """

    state: ProgramState | None
    key: str
    bracketed: bool = False
    text: str = ""
    outcome: Completed | Failed | None = None
    interrupted: bool = False
    remarks: list[PlainMessage] = field(default_factory=list)
    problems: list[RequestError] = field(default_factory=list)
    _calls: list[_CallRecord] = field(default_factory=list)
    _latest: dict[str, _CallRecord] = field(default_factory=dict)
    _waiting: int = 0

    def add_call(
        self, id: str, name: str, arguments: Json, *, id_content: IdContent, where: str
    ) -> None:
        """Add a call that was handed out. `where` names its message, for errors."""
        index, digest = self._index_and_digest(id_content)
        earlier = self._latest.get(id)
        if earlier is not None and (call_ids.is_ours(id) or not earlier.answered):
            problem = f"the call {short_id(id)} is in the history twice: send each call once"
            self.problems.append(HistoryError(problem, where))
            return
        record = _CallRecord(HandedCall(id, index, name, arguments), digest)
        self._calls.append(record)
        self._latest[id] = record
        self._waiting += 1

    @property
    def program(self) -> Program | None:
        """The program, if the history has it."""
        return self.state.program if self.state is not None else None

    @property
    def answered(self) -> bool:
        """Whether the block has calls and all of them are answered."""
        return bool(self._calls) and not self._waiting

    def knows(self, id: str) -> bool:
        """Return whether a call of this block has that id."""
        return id in self._latest

    def add_answer(self, id: str, content: str | None, *, is_error: bool, where: str) -> None:
        """Add the client's answer to a call of this block."""
        record = self._latest[id]
        if record.answered:
            problem = f"the call {short_id(id)} is answered twice: send one result for each call"
            self.problems.append(HistoryError(problem, where))
            return
        record.answered, record.content, record.is_error = True, content, is_error
        self._waiting -= 1

    def finish(
        self, tools: Mapping[str, Tool], limits: Limits, budget: ValueBudget, *, open: bool
    ) -> CodeBlock:
        """Return the finished block. `budget` limits the values in its results.

        Raises the first problem if the block is `open`, which means that its program goes on.
        """
        records = sorted(self._calls, key=lambda each: each.call.index)
        problems = [*self.problems, *self._gaps(records), *self._excess(records, limits)]
        pending = tuple(each.call for each in records if not each.answered)
        if open:
            problems += [_unanswered(call.id) for call in pending]
            if problems:
                raise problems[0]
        journal, unreadable = _journal(records, tools, limits, budget)
        if open and unreadable:
            raise unreadable[0]
        return CodeBlock(
            self.state,
            journal,
            pending,
            self.outcome,
            text=self.text,
            remarks=tuple(self.remarks),
            open=open,
            interrupted=self.interrupted or bool(pending),
            replayable=self.program is not None and not problems and not unreadable and not pending,
        )

    def _index_and_digest(self, id_content: IdContent) -> tuple[int, str | None]:
        """Return a call's index and the digest of its arguments, as its id says. Calls whose ids do
        not say are numbered in the order of the history."""
        if isinstance(id_content, StateError):
            if not self.bracketed:
                self.problems.append(id_content)
        elif id_content is not None:
            if isinstance(id_content, call_ids.LaterCall):
                if id_content.program == self.key:
                    return id_content.index, id_content.digest
            elif call_ids.key(id_content.program.id) == self.key:
                return 0, id_content.arguments
        first = "" if self._calls or self.state is None else self.state.arguments
        return len(self._calls), first or None

    def _gaps(self, records: list[_CallRecord]) -> list[RequestError]:
        """Return the errors for a missing program, and for missing or doubled calls."""
        if self.program is None and records:
            first = records[0].call.id
            return [
                HistoryError(
                    f"the program of the call {short_id(first)} is missing from the history: "
                    "send back all messages since the program's first call"
                )
            ]
        for place, each in enumerate(records):
            if each.call.index != place:
                which = f"call {min(place, each.call.index)} of program {self.key!r}"
                if each.call.index > place:
                    reason = "is missing from the history: send back all calls and their results"
                else:
                    reason = "is in the history twice: send each call once"
                return [HistoryError(f"{which} {reason} (see {short_id(each.call.id)})")]
        return []

    def _excess(self, records: list[_CallRecord], limits: Limits) -> list[RequestError]:
        """Return the errors for a source, calls or results that are over their limits."""
        found: list[RequestError] = []
        if self.program is not None and size(self.program.source) > limits.source:
            which = f"the program {short_id(self.program.id)}"
            found.append(TooLarge(f"{which} is longer than {limits.source:,} bytes: shorten it"))
        if len(records) > limits.calls:
            which = f"the program of the call {short_id(records[0].call.id)}"
            found.append(
                TooLarge(f"{which} has more than {limits.calls:,} calls: start a new conversation")
            )
        found += [
            TooLarge(
                f"the result of {short_id(each.call.id)} is {size(each.content):,} bytes, "
                f"the limit is {limits.result:,}: send less"
            )
            for each in records
            if each.content is not None and size(each.content) > limits.result
        ]
        return found


def short_id(id: str) -> str:
    """Return an id as it is quoted in errors: only its beginning and end if it is long."""
    return repr(id if len(id) <= 80 else f"{id[:36]}…{id[-8:]}")


def _unanswered(id: str) -> HistoryError:
    return HistoryError(
        f"the call {short_id(id)} was handed out and has no answer: send its result too"
    )


def _journal(
    records: list[_CallRecord], tools: Mapping[str, Tool], limits: Limits, budget: ValueBudget
) -> tuple[tuple[Entry, ...], list[TooLarge]]:
    """Return the answered calls, and errors for results that are too large to be read as JSON.
    The entries of those have the result as text."""
    journal: list[Entry] = []
    unreadable: list[TooLarge] = []
    for each in records:
        if not each.answered:
            continue
        call, content = each.call, each.content
        answer: Result = Returned(content)
        try:
            if content is None or each.is_error or size(content) <= limits.result:
                answer = result(
                    content, is_error=each.is_error, tool=tools.get(call.name), budget=budget
                )
        except TooManyValues as error:
            unreadable.append(TooLarge(f"the result of {short_id(call.id)}: {error}; send less"))
        journal.append(Entry(call.name, call.arguments, answer, each.digest))
    return tuple(journal), unreadable
