"""A local tool's answer: its arguments are bound by its hints, its value is JSON."""

from coderelay.client.local_tool import AnyLocalTool
from coderelay.client.signature import ArgumentsError
from coderelay.core import DEFAULT_LIMITS, CallError, Json, Raised, Result
from coderelay.core.json_values import NotJson
from coderelay.tool_answers import answered, call, settled


async def answer(
    tool: AnyLocalTool, arguments: Json, *, limit: int = DEFAULT_LIMITS.result
) -> Result:
    """Call a local tool. A plain function runs in a thread of its own, beside all others.

    `limit` bounds the answer, in bytes of its JSON text.
    """
    try:
        positional, keyword = tool.signature.bind(arguments)
    except (ArgumentsError, NotJson) as error:
        return Raised(CallError(str(error), name="ValidationError"))

    async def work() -> Result:
        value = await call(tool.function, lambda: tool.function(*positional, **keyword))
        return answered(tool.signature.dump(value), limit)

    return await settled(work())
