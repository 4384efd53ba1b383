"""Phrases as tables, for pandas and polars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from boughs.errors import ArgumentError
from boughs.extras import extra

if TYPE_CHECKING:
    from boughs._boughs import Phrase, Sentence

#: The columns of a table of phrases, each with how it is found.
COLUMNS = (
    "sentence",
    "phrase",
    "parent",
    "depth",
    "label",
    "text",
    "head",
    "head_tag",
    "start",
    "end",
    "start_char",
    "end_char",
    "start_byte",
    "end_byte",
    "confidence",
)


def phrases(sentences: Iterable[Sentence], backend: str = "pandas") -> Any:
    """A row for each phrase, sentence after sentence, parents before children.

    ``parent`` is the number of the phrase above it within the sentence, none for the root.
    """
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for number, sentence in enumerate(sentences):
        numbers: dict[tuple[int, int, int], int] = {}
        for place, phrase in enumerate(sentence.tree.phrases):
            numbers[_key(phrase)] = place
            parent = phrase.parent
            head = phrase.head
            row = (
                number,
                place,
                None if parent is None else numbers[_key(parent)],
                phrase.depth,
                phrase.label,
                phrase.text,
                head.word,
                head.tag,
                phrase.start,
                phrase.end,
                phrase.start_char,
                phrase.end_char,
                phrase.start_byte,
                phrase.end_byte,
                phrase.confidence,
            )
            for name, value in zip(COLUMNS, row):
                columns[name].append(value)
    return frame(columns, backend)


def _key(phrase: Phrase) -> tuple[int, int, int]:
    """Phrases over the same words differ in depth."""
    return phrase.start, phrase.end, phrase.depth


def frame(columns: dict[str, list[Any]], backend: str = "pandas") -> Any:
    """Columns as a table of pandas or polars."""
    if backend == "polars":
        import polars

        return polars.DataFrame(columns, strict=False)
    if backend == "pandas":
        with extra("frames"):
            import pandas

        # With numbers that pandas would make floats if one of them is missing.
        table = pandas.DataFrame(columns)
        whole = [name for name in columns if name.startswith(("parent", "start_", "end_"))]
        return table.astype({name: "Int64" for name in whole})
    raise ArgumentError(
        f"expected the backend pandas or polars, found {backend!r}",
        hint="leave it out for pandas",
    )
