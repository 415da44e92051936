"""Interprets a model's answer: as text, a program, direct tool calls, or an invalid call."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import TypeAlias

from coderelay.conversation import Message, call_ids
from coderelay.conversation.model_view import call_and_answer, fresh_id
from coderelay.core import Json
from coderelay.core.json_values import NotJson, dump
from coderelay.gateway.model_json import LONGEST, read_model_json
from coderelay.gateway.program_in_text import ProgramInText
from coderelay.gateway.toolset import Toolset
from coderelay.models.model_answer import ModelAnswer, ModelCall


@dataclass(frozen=True, slots=True)
class Offer:
    """What the model was offered: `code` is the name of the code tool, or None if it was not
    offered, and `direct` are the names of the tools that it may call itself."""

    toolset: Toolset
    code: str | None
    direct: Collection[str]
    parallel: bool


@dataclass(frozen=True, slots=True)
class PlainText:
    """Text for the client, which may be empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program, and the text in the same answer."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class OwnCalls:
    """Direct calls: of tools that the model may call itself, as the client gets them."""

    calls: tuple[Message, ...]
    text: str


@dataclass(frozen=True, slots=True)
class InvalidCall:
    """A call that cannot be carried out. `reason` is what the model is told about it."""

    name: str
    arguments: str
    reason: str
    text: str

    def as_messages(self, number: int) -> list[Message]:
        """Return the call and its reason as messages for the model. `number` counts the turn's
        invalid calls, because each call needs its own id."""
        id = fresh_id(number, self.name, self.arguments)
        return call_and_answer(id, self.name, self.arguments, text=self.text, content=self.reason)


Meaning: TypeAlias = PlainText | ProgramText | OwnCalls | InvalidCall


def interpret(answer: ModelAnswer, in_text: ProgramInText, offer: Offer) -> Meaning:
    """Return what an answer means.

    The first call decides: if it is a program, all other calls are dropped, and if it is a direct
    call, only the direct calls are kept. `in_text` has found programs and calls that the model
    wrote as text instead of calling a tool.
    """
    calls, text = answer.calls, answer.text
    if not calls and offer.code is not None and in_text.rest() and answer.finish == "stop":
        before = text[: len(text) - len(in_text.rest())]
        source = in_text.program(offer.toolset.spellings)
        if source is not None:
            return ProgramText(source, before)
        calls = [
            ModelCall(name=name, written=StringIO(arguments)) for name, arguments in in_text.calls()
        ]
        text = before if calls else text
    if not calls or (offer.code is None and not offer.direct):
        return PlainText(text)
    first = calls[0]
    if first.name.removeprefix("functions.") == offer.code:
        return _code(first, answer, text)
    if first.name in offer.direct:
        chosen = [call for call in calls if call.name in offer.direct]
        return OwnCalls(_as_messages(chosen if offer.parallel else chosen[:1]), text)
    return InvalidCall(
        first.name, _valid_arguments(first.arguments), _unknown_tool(first.name, offer), text
    )


def _code(call: ModelCall, answer: ModelAnswer, text: str) -> Meaning:
    try:
        arguments = read_model_json(call.arguments)
    except NotJson as error:
        if answer.finish == "length":
            return PlainText(text)
        reason = (
            f"The arguments of {call.name} are not valid JSON ({error}): nothing was run. "
            'Send one object {"code": "…"} with the whole program as a JSON string.'
        )
        return InvalidCall(call.name, _valid_arguments(call.arguments), reason, text)
    source = _source(arguments)
    if source is None:
        reason = f'{call.name} takes one object {{"code": "…"}}: nothing was run.'
        return InvalidCall(call.name, _valid_arguments(call.arguments), reason, text)
    return ProgramText(source, text)


def _source(arguments: Json) -> str | None:
    """Return the program in the arguments of the code tool: the value of `code`, or else the only
    string that is there."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return None
    code = arguments.get("code")
    if isinstance(code, str):
        return code
    texts = [value for value in arguments.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


def _unknown_tool(name: str, offer: Offer) -> str:
    """Return what the model is told about a call of a tool that it was not offered."""
    identifier = offer.toolset.identifiers.get(name)
    if offer.code is None:
        return f"There is no tool {name!r:.80}: nothing was run."
    if identifier is None:
        return f"There is no tool {name!r:.80}: nothing was run. Write a program for {offer.code}."
    return (
        f"{name} cannot be called directly: nothing was run. "
        f"Call {identifier} inside a program, and run that with {offer.code}."
    )


def _valid_arguments(arguments: str) -> str:
    """Return the arguments as a JSON object, whatever the model wrote, because upstreams refuse a
    history with other arguments."""
    try:
        if isinstance(read_model_json(arguments), dict):
            return arguments
    except NotJson:
        pass
    return dump({"code": arguments[:LONGEST]})


def _as_messages(calls: list[ModelCall]) -> tuple[Message, ...]:
    """Return the calls with the upstream's ids, or with new ones if those are missing, doubled, or
    look like ids of this server."""
    written: list[Message] = []
    seen: set[str] = set()
    for place, call in enumerate(calls):
        id = call.id
        if not id or id in seen or call_ids.is_ours(id):
            id = fresh_id(place, call.name, call.arguments)
        seen.add(id)
        function = {"name": call.name, "arguments": call.arguments or "{}"}
        written.append({**call.extra, "id": id, "type": "function", "function": function})
    return tuple(written)
