"""Shows the lines of a source around an error."""

_AROUND = 2
_WIDEST = 160


def code_frame(source: str, line: int, column: int | None) -> str:
    """Return a line with two lines before and after it, numbered, and a caret under the column.

    Lines and columns count from 1. Returns an empty text if the line is not in the source.
    """
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        return ""
    first, last = max(1, line - _AROUND), min(len(lines), line + _AROUND)
    width = len(str(last))
    rows = []
    for number in range(first, last + 1):
        mark = ">" if number == line else " "
        text = lines[number - 1].rstrip("\r").replace("\t", " ")[:_WIDEST]
        rows.append(f"{mark} {number:>{width}} | {text}".rstrip())
        if number == line and column is not None and 1 <= column <= _WIDEST:
            rows.append(f"  {'':>{width}} | {'':>{column - 1}}^")
    return "\n".join(rows)
