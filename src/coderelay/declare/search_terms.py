"""Texts as terms for the search: words without case, accents and plural.

What is done to a letter depends only on Unicode's tables, which never change what they say about
a letter once it is in them. So every process, on any version of Python, finds the same terms.
"""

import re
import unicodedata
from collections.abc import Iterable

from coderelay.core.unicode import normalize
from coderelay.languages.naming import split_humps

_RUN = re.compile(r"[^\W_]+")
# Thai to Khmer, kana and Han are written without spaces: there, pairs of letters are the words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
_LONGEST = 40


class Terms:
    """Finds the terms in texts, without those in `but`. It remembers words that it has met: make
    one of these for a list of tools."""

    def __init__(self, but: Iterable[str] = ()) -> None:
        self._but = frozenset(but)
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, text: str) -> list[str]:
        """The terms of a text, in the order of the text."""
        if not text.isascii():
            decomposed = normalize("NFKD", text)
            text = "".join(each for each in decomposed if unicodedata.category(each)[0] != "M")
        known = self._known
        found: list[str] = []
        for run in _RUN.findall(text):
            terms = known.get(run)
            if terms is None:
                terms = known[run] = tuple(each for each in _terms(run) if each not in self._but)
            found += terms
        return found


def _terms(run: str) -> Iterable[str]:
    for word in split_humps(run):
        folded = word.casefold()[:_LONGEST]
        if _UNSPACED.search(folded) is None:
            yield _singular(folded)
        elif len(folded) == 1:
            yield folded
        else:
            yield from (folded[at : at + 2] for at in range(len(folded) - 1))


def _singular(word: str) -> str:
    """`cities` → `city`, `boxes` → `box`, `users` → `user`. A word that only looks like a plural
    loses its ending, too, but it does so in queries and texts alike."""
    if len(word) < 4 or word[-1] != "s" or word[-2] in "siu":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1]
