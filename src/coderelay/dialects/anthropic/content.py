"""Translates content blocks of users and tools to the parts of a Chat Completions message.

Blocks that no upstream supports are refused by name. `cache_control` and `citations` are left out,
because Chat Completions has nothing for them.
"""

from collections.abc import Iterator, Sequence

from coderelay.conversation import FieldError, Message, Unsupported
from coderelay.core import Json
from coderelay.core.json_values import kind
from coderelay.dialects.kit.fields import Fields

_DEEPEST = 3
_FOREIGN = "that is stored on another server cannot be read: send its data"


def blocks(content: Json, path: str) -> list[Fields]:
    """Return the blocks of a content; a string becomes one text block."""
    if isinstance(content, str):
        return [Fields({"type": "text", "text": content}, path)] if content else []
    if not isinstance(content, list):
        raise FieldError(path, f"is {kind(content)}, not a string or a list of blocks")
    return [Fields(item, f"{path}[{place}]") for place, item in enumerate(content)]


def parts(blocks: Sequence[Fields], *, depth: int = 0) -> list[Message]:
    """Return the parts of a message for blocks of text, images, documents and search results."""
    return [part for block in blocks for part in _parts(block, depth)]


def as_content(parts: Sequence[Message]) -> Json:
    """Return the content of a message with these parts: a string if all are text, because not all
    upstreams accept parts."""
    if all(part["type"] == "text" for part in parts):
        return "\n\n".join(part["text"] for part in parts)
    return list(parts)


def _parts(block: Fields, depth: int) -> Iterator[Message]:
    match block.text("type"):
        case "text":
            yield _text(block.text("text"))
        case "image":
            yield _image(block.inner("source"))
        case "document":
            yield from _document(block, depth)
        case "search_result":
            head = f"{block.text('title', '')}\n{block.text('source', '')}".strip()
            yield from _headed(head, _inside(block, "content", depth))
        case other:
            reason = f"is {other!r:.60}, which this server does not support"
            raise Unsupported(block.path("type"), reason)


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _image(source: Fields) -> Message:
    match source.text("type"):
        case "base64":
            url = f"data:{source.text('media_type')};base64,{source.text('data')}"
        case "url":
            url = source.text("url")
        case other:
            raise Unsupported(source.path("type"), f"is {other!r:.40}: an image {_FOREIGN}")
    return {"type": "image_url", "image_url": {"url": url}}


def _document(block: Fields, depth: int) -> Iterator[Message]:
    source = block.inner("source")
    title = block.text("title", "")
    head = f"{title}\n{block.text('context', '')}".strip()
    match source.text("type"):
        case "text":
            yield from _headed(head, [_text(source.text("data"))])
        case "content":
            yield from _headed(head, _inside(source, "content", depth))
        case "base64" if source.text("media_type") == "application/pdf":
            data = f"data:application/pdf;base64,{source.text('data')}"
            file = {"filename": title or "document.pdf", "file_data": data}
            yield from _headed(head, [{"type": "file", "file": file}])
        case other:
            raise Unsupported(source.path("type"), f"is {other!r:.40}: a document {_FOREIGN}")


def _inside(fields: Fields, name: str, depth: int) -> list[Message]:
    if depth == _DEEPEST:
        raise Unsupported(fields.path(name), "is nested too deeply")
    return parts(blocks(fields.value.get(name), fields.path(name)), depth=depth + 1)


def _headed(head: str, found: list[Message]) -> list[Message]:
    """Return the parts with a heading before them, joined with the first part if it is text."""
    if not head:
        return found
    if found and found[0]["type"] == "text":
        return [_text(f"{head}\n{found[0]['text']}"), *found[1:]]
    return [_text(head), *found]
