"""Translates the content of a message from the Responses API to Chat Completions."""

from collections.abc import Callable

from coderelay.conversation import FieldError, Unsupported
from coderelay.core import Json
from coderelay.core.json_values import kind
from coderelay.dialects.kit.fields import Fields

_TEXTS = ("input_text", "output_text", "text")


def read_content(item: Fields, name: str = "content") -> Json:
    """Return the content of a user's or system's message: a string, or a list of parts."""
    return _parts(item, name, _part)


def read_text(item: Fields, name: str = "content", *, why: str = "") -> str:
    """Return a content that may only be text. `why` is the reason in the error for other parts."""
    content = _parts(item, name, lambda part: _text_part(part, why))
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _parts(item: Fields, name: str, read: Callable[[Fields], Json]) -> Json:
    content = item.value.get(name)
    if isinstance(content, str):
        return content
    if content is None:
        raise FieldError(item.path(name), "is missing" if name not in item.value else "is null")
    if not isinstance(content, list):
        raise FieldError(item.path(name), f"is {kind(content)}, not a string or a list of parts")
    parts = [
        read(Fields(part, f"{item.path(name)}[{place}]")) for place, part in enumerate(content)
    ]
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]  # some upstreams accept only strings
    return parts or ""


def _part(part: Fields) -> Json:
    match part.text("type"):
        case "input_image":
            return _image(part)
        case "input_file":
            return _file(part)
        case "input_audio":
            return {"type": "input_audio", "input_audio": part.inner("input_audio").value}
        case _:
            return _text_part(part, "")


def _text_part(part: Fields, why: str) -> Json:
    type = part.text("type")
    if type in _TEXTS:
        return {"type": "text", "text": part.text("text")}
    if type == "refusal":
        return {"type": "text", "text": part.text("refusal")}
    reason = why or "which this server does not support"
    raise Unsupported(part.path("type"), f"is {type!r:.40}, {reason}")


def _image(part: Fields) -> Json:
    if part.value.get("file_id") is not None:
        raise _stored(part)
    image: dict[str, Json] = {"url": part.text("image_url")}
    detail = part.text("detail", "")
    if detail:
        image["detail"] = detail
    return {"type": "image_url", "image_url": image}


def _file(part: Fields) -> Json:
    if part.value.get("file_id") is not None:
        raise _stored(part)
    if part.value.get("file_url") is not None:
        reason = "cannot be fetched by this server: send the file's bytes as 'file_data'"
        raise Unsupported(part.path("file_url"), reason)
    file: dict[str, Json] = {"file_data": part.text("file_data")}
    name = part.text("filename", "")
    if name:
        file["filename"] = name
    return {"type": "file", "file": file}


def _stored(part: Fields) -> Unsupported:
    reason = "is not supported, because this server stores no files: send the file's data"
    return Unsupported(part.path("file_id"), reason)
