"""Encodes the events of a turn as the numbered events of a streamed response.

Every item is added, filled and finished before the next one begins, so at most one is under way.
Text and reasoning come in pieces, all other items as a whole.
"""

from typing import assert_never

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    NewEntry,
    ProgramFinished,
    ProgramStarted,
    ReasoningStreamed,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnRequest,
    TurnStarted,
)
from coderelay.core import Json
from coderelay.dialects.responses.items import (
    Item,
    Status,
    entry_items,
    message_item,
    reasoning_item,
    refusal_part,
    text_and_reasoning,
    text_part,
)
from coderelay.dialects.responses.reply import last_status, numbered, snapshot, whole
from coderelay.dialects.responses.request_state import state_of


class ResponsesStream:
    """Encodes a streamed response as events. The events for `TurnReply` are the last ones."""

    def __init__(self, request: TurnRequest) -> None:
        self._request = request
        self._vendor = request.protocol == "messages"
        self._wants_reasoning = state_of(request).wants_reasoning
        self._started = TurnStarted("", 0, request.model)
        self._output: list[Item] = []
        self._under_way: Item | None = None
        self._pieces: list[str] = []
        self._blank: list[str] = []
        self._text_sent = self._sealed = False
        self._number = -1

    def feed(self, event: TurnEvent) -> list[Json]:
        """Return the API's events for an event of the turn."""
        match event:
            case TurnStarted():
                self._started = event
                return [
                    self._event("response.created", response=self._snapshot()),
                    self._event("response.in_progress", response=self._snapshot()),
                ]
            case TextStreamed(text):
                return self._say(text)
            case ReasoningStreamed(text):
                return self._think(text) if self._wants_reasoning else []
            case AssistantText(text, refused=True):
                return [*self._finish(), *self._refuse(text)]
            case (
                AssistantText()
                | ProgramStarted()
                | CallsHandedOut()
                | DirectCalls()
                | ProgramFinished()
            ):
                return self._entry(event)
            case TurnReply():
                return self._last(event)
            case _:
                assert_never(event)

    def fail(self, error: Json) -> list[Json]:
        """Return the last events of an answer that breaks off."""
        described = error["error"]
        failed = {
            **self._snapshot(),
            "status": "failed",
            "output": [*self._output, *self._broken()],
            "error": {"code": "server_error", "message": described["message"]},
        }
        fields = {name: described[name] for name in ("code", "message", "param")}
        return [
            self._event("error", **fields),
            self._event("response.failed", response=failed),
        ]

    def _broken(self) -> list[Item]:
        """Return the message that was under way when the answer broke off, if there is one."""
        if self._under_way is None or self._under_way["type"] != "message":
            return []
        return [message_item(self._under_way["id"], "".join(self._pieces), "incomplete")]

    def _say(self, text: str) -> list[Json]:
        begun = self._is_under_way("message")
        if not begun:
            self._blank.append(text)
            if not text.strip():  # white space alone gets no item
                return []
            text, self._blank = "".join(self._blank), []
        events = [] if begun else [*self._finish(), *self._begin_message()]
        self._pieces.append(text)
        delta = self._at("response.output_text.delta", content_index=0, delta=text, logprobs=[])
        return [*events, delta]

    def _refuse(self, text: str) -> list[Json]:
        """Return the events for a refusal, which is complete from the start."""
        item = message_item(self._next_id("msg"), text, refused=True)
        self._under_way = item
        begun = item | {"content": [], "status": "in_progress"}
        part, at = "response.content_part", {"content_index": 0}
        return [
            self._added(begun),
            self._at(f"{part}.added", **at, part=refusal_part("")),
            self._at("response.refusal.delta", **at, delta=text),
            self._at("response.refusal.done", **at, refusal=text),
            self._at(f"{part}.done", **at, part=refusal_part(text)),
            self._done(item),
        ]

    def _think(self, text: str) -> list[Json]:
        begun = self._is_under_way("reasoning")
        events = [] if begun else [*self._finish(), *self._begin_reasoning()]
        self._pieces.append(text)
        delta = self._at("response.reasoning_summary_text.delta", summary_index=0, delta=text)
        return [*events, delta]

    def _entry(self, entry: NewEntry) -> list[Json]:
        """Return the events for a complete entry: those that finish its text, then its items."""
        events: list[Json] = []
        text, _ = text_and_reasoning(entry)
        if text.strip() and not self._text_sent:
            events += self._say(text)
        self._text_sent, self._blank = False, []
        if isinstance(
            entry, AssistantText
        ):  # whether its text is complete is only known at the end
            self._sealed = True
            return events
        events += self._finish()
        for item in entry_items(entry, vendor=self._vendor):
            events += self._send(item)
        return events

    def _last(self, reply: TurnReply) -> list[Json]:
        events = self._finish(last_status(reply))
        if not self._output:
            events += [*self._begin_message(), *self._finish(last_status(reply))]
        response = whole(reply, self._request, self._output)
        return [*events, self._event(f"response.{response['status']}", response=response)]

    def _send(self, item: Item) -> list[Json]:
        """Return the events for an item that is complete from the start."""
        item = item | {"id": item["id"] or self._next_id("fc")}
        if item["type"] != "function_call":
            begun = item | ({"code": ""} if item["type"] == "program" else {})
            return [self._added(begun), self._done(item)]
        arguments = item["arguments"]
        kind = "response.function_call_arguments"
        events = [self._added(item | {"arguments": "", "status": "in_progress"})]
        self._under_way = item
        events += [
            self._at(f"{kind}.delta", delta=arguments),
            self._at(f"{kind}.done", arguments=arguments),
        ]
        return [*events, self._done(item)]

    def _begin_message(self) -> list[Json]:
        self._text_sent = True
        self._under_way = message_item(self._next_id("msg"), None, "in_progress")
        added = self._added(self._under_way)
        return [added, self._at("response.content_part.added", content_index=0, part=text_part(""))]

    def _begin_reasoning(self) -> list[Json]:
        self._under_way = reasoning_item(self._next_id("rs"), None)
        added = self._added(self._under_way)
        part = {"type": "summary_text", "text": ""}
        kind = "response.reasoning_summary_part.added"
        return [added, self._at(kind, summary_index=0, part=part)]

    def _finish(self, status: Status = "completed") -> list[Json]:
        """Return the events that finish the item under way, if there is one."""
        if self._under_way is None:
            return []
        id, text = self._under_way["id"], "".join(self._pieces)
        self._pieces, self._sealed = [], False
        if self._under_way["type"] == "message":
            item = message_item(id, text, status)
            kind, part = "response.output_text.done", text_part(text)
            events = [
                self._at(kind, content_index=0, text=text, logprobs=[]),
                self._at("response.content_part.done", content_index=0, part=part),
            ]
        else:
            item = reasoning_item(id, text)
            kind, part = "response.reasoning_summary_part.done", item["summary"][0]
            events = [
                self._at("response.reasoning_summary_text.done", summary_index=0, text=text),
                self._at(kind, summary_index=0, part=part),
            ]
        return [*events, self._done(item)]

    def _is_under_way(self, type: str) -> bool:
        under_way = self._under_way
        return under_way is not None and under_way["type"] == type and not self._sealed

    def _next_id(self, kind: str) -> str:
        return numbered(kind, self._started.id, self._output)

    def _added(self, item: Item) -> Json:
        place = len(self._output)
        return self._event("response.output_item.added", output_index=place, item=item)

    def _done(self, item: Item) -> Json:
        place = len(self._output)
        self._output.append(item)
        self._under_way = None
        return self._event("response.output_item.done", output_index=place, item=item)

    def _at(self, type: str, **fields: Json) -> Json:
        """Return an event about the item under way."""
        assert self._under_way is not None
        id = self._under_way["id"]
        return self._event(type, item_id=id, output_index=len(self._output), **fields)

    def _event(self, type: str, **fields: Json) -> Json:
        self._number += 1
        return {"type": type, "sequence_number": self._number, **fields}

    def _snapshot(self) -> dict[str, Json]:
        started = self._started
        return snapshot(self._request, id=started.id, created=started.created, model=started.model)
