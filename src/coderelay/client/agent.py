"""An agent keeps a conversation and answers its calls with local tools.

With our server the model writes programs; with any other endpoint it makes plain tool calls.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import httpx

from coderelay.client.agent_events import AgentEvent, Answer, ProgramWritten
from coderelay.client.answer_calls import answer_batch
from coderelay.client.chat_endpoint import ChatConnection, ChatEndpoint, EndpointError
from coderelay.client.local_tool import AnyLocalTool, LocalTool, tool
from coderelay.client.messages import Message, MessageCall, ToolMessage, as_call
from coderelay.client.reply_reader import CompletionReply, ReplyReader
from coderelay.conversation import UpstreamError
from coderelay.core import Json, Raised, Result, Tool
from coderelay.core.json_values import dump
from coderelay.declare import check_tools
from coderelay.models.answer_limits import DEFAULT_TIMEOUT
from coderelay.wire import function_tool

AgentTool: TypeAlias = Callable[..., Any] | AnyLocalTool
Watch: TypeAlias = Callable[[AgentEvent], None]
Protocol: TypeAlias = Literal["messages", "plain"]


class Agent:
    """A conversation with a model that may use local tools.

    `base_url` is the address of `coderelay serve`, `http://127.0.0.1:8700/v1`, or of any endpoint
    for Chat Completions. `tools` are plain or async functions. `messages` is the whole conversation
    as JSON: store it, and pass it to another agent to continue. `options` are further fields of the
    request, such as `temperature`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        tools: Sequence[AgentTool] = (),
        api_key: str | None = None,
        language: str | None = None,
        system: str | None = None,
        messages: Sequence[Message] = (),
        options: Mapping[str, Json] | None = None,
        protocol: Protocol | None = None,
        max_steps: int = 1_000,
        timeout: float = DEFAULT_TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.messages: list[Message] = list(messages)
        if system is not None:
            self.messages.insert(0, {"role": "system", "content": system})
        local = [each if isinstance(each, LocalTool) else tool(each) for each in tools]
        check_tools([each.declaration for each in local])
        self._tools = {each.declaration.name: each for each in local}
        self._endpoint = ChatEndpoint(base_url, api_key, timeout, transport=transport)
        self._model = model
        self._language = language
        self._options = dict(options or {})
        self._protocol = protocol
        self._max_steps = max_steps
        self._busy = False

    async def run(
        self, text: str | list[Json] | None = None, *, watch: Watch = lambda event: None
    ) -> str:
        """Send a message and return the model's answer. `watch` is called with every event.

        Without a text, the conversation continues where an error ended it. A turn that failed
        before any tool was called leaves `messages` as they were.
        """
        with self._turn(text):
            async with self._endpoint.connect() as connection:
                answer = await self._converse(connection, watch)
        watch(answer)
        return answer.text

    def run_sync(
        self, text: str | list[Json] | None = None, *, watch: Watch = lambda event: None
    ) -> str:
        """`run` for code outside an event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.run(text, watch=watch))
        raise RuntimeError("an event loop is running here: use `await agent.run(…)`")

    async def stream(self, text: str | list[Json] | None = None) -> AsyncIterator[AgentEvent]:
        """`run` as a stream of events, of which the last is the `Answer`. The turn ends when the
        iteration does."""
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        task = asyncio.create_task(self.run(text, watch=queue.put_nowait))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            if task.cancel():
                await asyncio.wait([task])

    @contextmanager
    def _turn(self, text: str | list[Json] | None) -> Iterator[None]:
        if self._busy:
            raise RuntimeError("this agent is in the middle of a turn: use another one meanwhile")
        self._busy = True
        before = len(self.messages)
        if text is not None:
            self.messages.append({"role": "user", "content": text})
        try:
            yield
        except BaseException:
            if text is not None and len(self.messages) == before + 1:
                del self.messages[before:]
            raise
        finally:
            self._busy = False

    async def _converse(self, connection: ChatConnection, watch: Watch) -> Answer:
        """Ask the model and answer its calls, until it answers with text."""
        protocol = await self._chosen_protocol(connection)
        usage: dict[str, int] = {}
        made = 0

        def counted(event: AgentEvent) -> None:
            nonlocal made
            if isinstance(event, ProgramWritten):
                made = 0
            watch(event)

        for _ in range(self._max_steps):
            reply = await self._ask(connection, protocol, counted)
            for name, count in reply.usage.items():
                usage[name] = usage.get(name, 0) + count
            if not reply.calls:
                self.messages += reply.messages
                return Answer(reply.text, reply.finish, usage)
            calls = [as_call(made + place, call) for place, call in enumerate(reply.calls)]
            made += len(calls)
            results = await answer_batch(calls, self._tools, watch=watch)
            # together, so that a failure never leaves a call without its answer
            self.messages += reply.messages
            for call, result in zip(reply.calls, results, strict=True):
                self.messages.append(self._tool_message(call, result, protocol))
        raise EndpointError(f"the model still calls tools after {self._max_steps} steps")

    async def _chosen_protocol(self, connection: ChatConnection) -> Protocol:
        """The protocol to use. Our server tells what it is at `/healthz`; if it could not, plain
        calls would work there, too."""
        if not self._tools:
            return "plain"  # a program would have nothing to call
        if self._protocol is None:
            ours = await connection.is_coderelay()
            if ours is None:
                return "plain"  # the request itself will fail, and say why
            self._protocol = "messages" if ours else "plain"
        return self._protocol

    async def _ask(
        self, connection: ChatConnection, protocol: Protocol, watch: Watch
    ) -> CompletionReply:
        reader = ReplyReader(self._language)
        try:
            async for piece in connection.pieces(self._body(protocol)):
                for event in reader.feed(piece):
                    watch(event)
        except UpstreamError as error:
            raise EndpointError(str(error)) from error
        if not reader.ended:
            raise EndpointError("the endpoint's answer broke off before its end")
        return reader.reply()

    def _body(self, protocol: Protocol) -> dict[str, Json]:
        ours = protocol == "messages"
        body: dict[str, Json] = {"model": self._model, "messages": self.messages, "stream": True}
        if self._tools:
            declared = [each.declaration for each in self._tools.values()]
            body["tools"] = [_declared(each, ours) for each in declared]
        if ours:
            mode = {"protocol": "messages", "language": self._language}
            body["code_mode"] = {key: value for key, value in mode.items() if value}
            body["stream_options"] = {"include_usage": True}
        return {**body, **self._options}

    def _tool_message(self, call: MessageCall, result: Result, protocol: Protocol) -> ToolMessage:
        message: ToolMessage = {"role": "tool", "tool_call_id": call["id"], "content": ""}
        if isinstance(result, Raised):
            message["content"] = result.error.message
            if protocol == "messages":
                message["is_error"] = True
            else:  # other endpoints refuse fields that they do not know
                message["content"] = f"{result.error.name}: {result.error.message}"
            return message
        local = self._tools[call["function"]["name"]]
        verbatim = protocol == "plain" or _is_string(local.declaration)
        value = result.value
        message["content"] = value if verbatim and isinstance(value, str) else dump(value)
        return message


def _declared(tool: Tool, ours: bool) -> dict[str, Json]:
    """A declaration. Only our server is sent the schema of the answer: others may refuse it."""
    if ours and tool.returns is not None:
        return {**function_tool(tool), "output_schema": tool.returns}
    return function_tool(tool)


def _is_string(declared: Tool) -> bool:
    """Whether a tool always returns a string, which is then sent as it is, not as JSON."""
    returns = declared.returns
    return isinstance(returns, Mapping) and returns.get("type") == "string"
