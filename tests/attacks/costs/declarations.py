"""What the names and texts of tools cost, which a client declares."""

from coderelay.declare.search_terms import Terms
from coderelay.declare.tool_index import first_sentence
from coderelay.languages.naming import pascal, split_words
from tests.attacks.costs import Case

TERMS, SPLIT = "declare.search_terms.Terms.of", "languages.naming.split_words"

CASES = (
    Case(TERMS, "one long word", 200_000, lambda size: "a" * size, lambda text: Terms().of(text)),
    Case(TERMS, "humps", 50_000, lambda size: "aA" * (size // 2), lambda text: Terms().of(text)),
    Case(
        TERMS,
        "accents in the wrong order",
        50_000,
        lambda size: "\u0301\u0327" * (size // 2),
        lambda text: Terms().of(text),
    ),
    Case(
        TERMS,
        "different words in a script without spaces",
        50_000,
        lambda size: " ".join(chr(0x4E00 + each) * 3 for each in range(size // 4)),
        lambda text: Terms().of(text),
    ),
    Case(SPLIT, "separators", 200_000, lambda size: "_" * size, split_words),
    Case(SPLIT, "humps", 50_000, lambda size: "aA" * (size // 2), split_words),
    Case(SPLIT, "capitals", 50_000, lambda size: "A" * size, split_words),
    Case(
        "languages.naming.pascal",
        "accents in the wrong order",
        50_000,
        lambda size: "a" + "\u0301\u0327" * (size // 2),
        pascal.__wrapped__,
    ),
    Case(
        "declare.tool_index.first_sentence",
        "spaces and full stops",
        200_000,
        lambda size: ". " * (size // 2),
        first_sentence,
    ),
)
