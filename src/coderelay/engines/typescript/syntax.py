"""Finds brackets, functions, calls and patterns in JavaScript code, to find the place of an error.

It reads the output of the stripper, so there are no types in the code.
"""

import bisect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from coderelay.engines.typescript.tokens import Token, tokens

_WORD = re.compile(r"[\w$\u0080-\U0010ffff]++\Z")
_NO_CALLEE = frozenset("if for while switch catch with await return typeof in of case".split())
_NO_CALLEE_KEYWORDS = _NO_CALLEE | {"function", "async", "throw", "void", "yield", "=>"}
_KEYWORDS = frozenset(
    "true false null this undefined async await new typeof void function class const let var "
    "return if else for while do switch case default break continue try catch finally throw in of "
    "instanceof delete yield static get set extends super".split()
)
_ALSO_NAMES = frozenset("async get set static".split())
_NESTED = 8
_SHORT = 60
_DECLARING = ("const", "let", "var")
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call: the token that names the callee, and the brackets of its arguments."""

    callee: int
    opening: int
    closing: int


class Syntax:
    """The tokens of a program, and the structure around them. Tokens are given by their index."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.templates: list[range] = []  # inner ones before those around them
        self.tokens: list[Token] = list(tokens(code, self.templates))
        self.partner: dict[int, int] = {}
        self.around: list[int] = []  # for each token, the innermost bracket around it, or -1
        open_: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.text in _CLOSES and open_:
                self.partner[at] = open_[-1]
                self.partner[open_.pop()] = at
            self.around.append(open_[-1] if open_ else -1)
            if token.text in ("(", "[", "{"):
                open_.append(at)

    def text(self, at: int) -> str:
        """Return the text of a token, or an empty text for an index outside the program."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def at(self, offset: int) -> int:
        """Return the token at an offset, or after the white space there, or -1.

        The white space matters because QuickJS places some functions at the start of their line.
        """
        at = bisect.bisect_right(self.tokens, offset, key=lambda token: token.start) - 1
        start = self.tokens[at].end if at >= 0 else 0
        end = self.tokens[at + 1].start if at + 1 < len(self.tokens) else start
        between = self.code[start:end]
        return at + (start <= offset < end and "\n" in between and between.isspace())

    def is_word(self, at: int) -> bool:
        """Return whether a token is a name or a keyword."""
        return _WORD.match(self.text(at)) is not None and not self.text(at)[0].isdigit()

    def is_name(self, at: int) -> bool:
        """Return whether a token is a name, or a keyword that may be used as one."""
        return self.is_word(at) and self.text(at) not in _KEYWORDS - _ALSO_NAMES

    def calls_around(self, at: int) -> list[CallSite]:
        """Return the calls that have a token in their callee or arguments, the innermost first."""
        after = at + 1
        while self.text(after) == "[" and after in self.partner:
            after = self.partner[after] + 1
        own = self._call(after)
        found = [own] if own else []
        bracket = self.around[at] if at >= 0 else -1
        if self.text(at) == ")":
            bracket = self.partner.get(at, -1)
        while bracket >= 0 and bracket not in self.bodies and len(found) < _NESTED:
            call = self._call(bracket)
            if call is not None:
                found.append(call)
            bracket = self.around[bracket]
        return found

    def _call(self, opening: int) -> CallSite | None:
        if self.text(opening) != "(" or opening not in self.partner:
            return None
        optional = self.text(opening - 1) == "." and self.text(opening - 2) == "?"
        callee = opening - (3 if optional else 1)
        if self.text(callee) in (")", "]"):
            return CallSite(self.partner.get(callee, callee), opening, self.partner[opening])
        if not self.is_word(callee) or self.text(callee) in _NO_CALLEE_KEYWORDS:
            return None
        return CallSite(callee, opening, self.partner[opening])

    def callee_text(self, call: CallSite) -> str:
        """Return the callee as it is written, such as `a.b`, or an empty text if it is long or not
        a name."""
        first = call.callee
        while True:
            before = first - 1
            if self.text(before) == "." and self.text(before - 1) == "?":
                before -= 1
            elif self.text(before) != "." and self.text(first) != "[":
                break
            if self.text(first) != "[" or self.text(before) == ".":
                before -= 1
            if self.text(before) in (")", "]"):
                before = self.partner.get(before, before)
                if self.text(before) == "(" and self.is_word(before - 1):
                    before -= 1
            elif not self.is_word(before):
                break
            first = before
        written = self.code[self.tokens[first].start : self.tokens[call.opening].start]
        text = "".join(line.strip() for line in written.split("\n")).removesuffix("?.")
        return text if len(text) <= _SHORT and not text.startswith("(") else ""

    @cached_property
    def bodies(self) -> dict[int, int]:
        """For each bracket that opens the body or the parameters of a function, the token at which
        the function starts."""
        found = {}
        for at, token in enumerate(self.tokens):
            before = at - 1
            if token.text == "=>":
                start = self._arrow_start(at)
                if self.text(before) == ")":
                    found[self.partner.get(before, before)] = start
                if self.text(at + 1) == "{":
                    found[at + 1] = start
            elif token.text == "{" and self.text(before) == ")" and before in self.partner:
                opening = self.partner[before]
                if self.text(opening - 1) not in _NO_CALLEE:
                    start = self._function_start(opening)
                    found[opening] = found[at] = start
        return found

    def _function_start(self, opening: int) -> int:
        start = opening - 1
        while start > 0 and self.text(start - 1) in ("function", "async", "*", "get", "set"):
            start -= 1
        return start

    def function_of(self, at: int) -> int:
        """Return the start of the function in which a token is evaluated, or -1 for none."""
        return self._functions[at] if at >= 0 else -1

    def functions_entered(self, at: int, name: str) -> list[int]:
        """Return the functions of a name that may just have been entered if QuickJS reports a
        token: those that start there, or on the line that starts there."""
        if at < 0:
            return []
        start = self.tokens[at].start
        end = start + 1
        if not self.code[self.code.rfind("\n", 0, start) + 1 : start].strip():
            end = (self.code.find("\n", start) + 1 or len(self.code) + 1) - 1
        last = bisect.bisect_left(self.tokens, max(end, start + 1), key=lambda token: token.start)
        found = (each for each in range(at, last) if each in self.starts)
        return [each for each in found if name in self._names(each)]

    @cached_property
    def starts(self) -> frozenset[int]:
        """The tokens at which functions start."""
        arrows = (at for at in range(len(self.tokens)) if self.text(at) == "=>")
        return frozenset(self.bodies.values()) | {self._arrow_start(at) for at in arrows}

    @cached_property
    def _functions(self) -> list[int]:
        found: list[int] = []
        arrows: dict[int, int] = {}  # by the bracket around it: an arrow whose body has not ended
        for at, bracket in enumerate(self.around):
            if self.text(at) in (",", ";") or self._begins_statement(at):
                arrows.pop(bracket, None)
            outer = found[bracket] if bracket >= 0 else -1
            found.append(arrows.get(bracket, self.bodies.get(bracket, outer)))
            if self.text(at) == "=>" and self.text(at + 1) != "{":
                arrows[bracket] = self._arrow_start(at)
        return found

    def _begins_statement(self, at: int) -> bool:
        """Return whether a token begins a statement and has no semicolon before it."""
        start, end = self.tokens[at].start, self.tokens[at - 1].end if at else 0
        values = self.is_word(at) and (self.is_word(at - 1) or self.text(at - 1)[-1:] in ")]}\"'")
        return values and "\n" in self.code[end:start]

    def _arrow_start(self, arrow: int) -> int:
        start = self.partner.get(arrow - 1, arrow - 1)
        return start - (self.text(start - 1) == "async")

    def _names(self, start: int) -> set[str]:
        before = self.text(start - 2) if self.text(start - 1) in ("=", ":") else "<anonymous>"
        return {before, *(self.text(at) for at in range(start, start + 4))}

    @cached_property
    def patterns(self) -> list[int]:
        """The brackets that open a destructuring pattern. Patterns inside patterns are left out."""
        found: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.text not in ("[", "{") or at not in self.partner:
                continue
            if not (found and at < self.partner[found[-1]]) and self._is_pattern(at):
                found.append(at)
        return found

    def contains(self, pattern: int, sought: Collection[str]) -> bool:
        """Return whether a pattern contains one of these tokens."""
        return any(self.text(at) in sought for at in range(pattern, self.partner[pattern]))

    def pattern_around(self, at: int) -> int | None:
        """Return the pattern that contains a token, or None."""
        before = bisect.bisect_right(self.patterns, at) - 1
        if before < 0 or at > self.partner[self.patterns[before]]:
            return None
        return self.patterns[before]

    def patterns_after(self, at: int, function: int) -> Iterator[int]:
        """Yield the patterns of a function after a token."""
        return _after(self._patterns_of, at, function)

    def operand_after(self, at: int, function: int) -> int | None:
        """Return the first operand of an `of` in a function after a token, or None."""
        return next(_after(self._operands_of, at, function), None)

    @cached_property
    def _patterns_of(self) -> dict[int, list[int]]:
        return self._by_function(self.patterns)

    @cached_property
    def _operands_of(self) -> dict[int, list[int]]:
        every = range(1, len(self.tokens))
        return self._by_function(at for at in every if self.text(at - 1) == "of")

    def _by_function(self, places: Iterable[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for at in places:
            found.setdefault(self.function_of(at), []).append(at)
        return found

    @cached_property
    def function_names(self) -> frozenset[str]:
        """The names of all functions that the program defines."""
        return frozenset(
            self.text(at)
            for at in range(len(self.tokens))
            if at in self.starts
            or self.text(at - 1) == "function"
            or (self.text(at + 1) == "=" and at + 2 in self.starts)
        )

    @cached_property
    def generators(self) -> frozenset[str]:
        """The names of all generators."""
        stars = (at for at in range(len(self.tokens)) if self.text(at) == "*")
        return frozenset(self.text(at + 1) for at in stars if self.text(at + 2) == "(")

    def _is_pattern(self, at: int) -> bool:
        before, after = self.text(at - 1), self.partner[at] + 1
        if before in _DECLARING or (before == "(" and self.text(at - 2) == "catch"):
            return True
        if self.around[at] in self.bodies and self.text(self.around[at]) == "(":
            return before in ("(", ",", ".", "...")
        assigned = self.text(after) == "=" and not self.code.startswith("=", self.tokens[after].end)
        return assigned and not (self.is_word(at - 1) or before in (")", "]"))

    def marks_between(self, start: int, end: int, function: int) -> bool:
        """Return whether QuickJS may report a place of a function between two tokens."""
        return next(_after(self._marks_of, start, function), end) < end

    @cached_property
    def _marks_of(self) -> dict[int, list[int]]:
        """For each function, the tokens that QuickJS may report as a place."""
        every = range(len(self.tokens))
        return self._by_function(at for at in every if self._marks(at) and at not in self._unmarked)

    def line_of(self, at: int) -> int:
        """Return how many lines end before a token."""
        return bisect.bisect_left(self._line_ends, self.tokens[at].start)

    @cached_property
    def _line_ends(self) -> list[int]:
        return [at for at, letter in enumerate(self.code) if letter == "\n"]

    @cached_property
    def _unmarked(self) -> frozenset[int]:
        """The tokens of patterns, and the tokens of loop steps."""
        inside = (at for start in self.patterns for at in range(start, self.partner[start]))
        return frozenset(inside) | self.loop_steps.keys()

    @cached_property
    def loop_steps(self) -> dict[int, int]:
        """For each token of a loop's step (`i++`), which is evaluated after the loop's body, the
        end of the body."""
        found: dict[int, int] = {}
        parts: dict[int, int] = {}
        for at in range(len(self.tokens)):
            opening = self.around[at]
            if self.text(at) != ";" or self.text(opening - 1) != "for" or at in found:
                continue
            parts[opening] = parts.get(opening, 0) + 1
            if parts[opening] == 2 and opening in self.partner:
                closing = self.partner[opening]
                end = self.partner.get(closing + 1, closing)
                found.update(dict.fromkeys(range(at, closing), end))
        return found

    def _marks(self, at: int) -> bool:
        if not self.is_word(at) or self.text(at) in _KEYWORDS:
            return False
        before, after = self.text(at - 1), self.text(at + 1)
        if before in (".", "function", "class", *_DECLARING):
            return before == "..."
        if self.text(self.around[at]) == "(" and self.around[at] in self.bodies:
            return before not in ("(", ",", "...")  # not a parameter
        return after not in (":", "=>") and not (after == "(" and at + 1 in self.bodies)

    def operand_of(self, at: int) -> Iterator[int]:
        """Yield the first token of each `...`, `of` or `yield*` operand that contains a token."""
        while at >= 0:
            bracket = self.around[at]
            left = at
            while left > bracket and self.text(left) not in (",", ";"):
                if self.text(left - 1) in ("...", "of") or (
                    self.text(left - 1) == "*" and self.text(left - 2) == "yield"
                ):
                    yield left
                left = self.partner.get(left, left) - 1 if self.text(left) in _CLOSES else left - 1
            if bracket in self.bodies or (
                bracket >= 0 and self.text(bracket) == "{" and self.text(bracket - 1) == ")"
            ):
                return
            at = bracket


def _after(places: Mapping[int, Sequence[int]], at: int, function: int) -> Iterator[int]:
    """Yield the places of a function that are after a token."""
    every = places.get(function, ())
    return (every[place] for place in range(bisect.bisect_right(every, at), len(every)))
