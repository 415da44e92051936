"""The source around a place, as a person or a model reads it."""

_AROUND = 2
_WIDEST = 160


def code_frame(source: str, line: int, column: int | None) -> str:
    """The line, two before and two after it, numbered, with a caret under the column.

    Lines and columns count from 1. A place outside the source has no frame.
    """
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        return ""
    first, last = max(1, line - _AROUND), min(len(lines), line + _AROUND)
    width = len(str(last))
    shown = []
    for number in range(first, last + 1):
        mark = ">" if number == line else " "
        text = lines[number - 1].rstrip("\r").replace("\t", " ")[:_WIDEST]
        shown.append(f"{mark} {number:>{width}} | {text}".rstrip())
        if number == line and column is not None and 1 <= column <= _WIDEST:
            shown.append(f"  {'':>{width}} | {'':>{column - 1}}^")
    return "\n".join(shown)
