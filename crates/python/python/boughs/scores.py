"""How good parses are, and whether one parser is better than another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any, TypeAlias, Union

from boughs import _boughs, html
from boughs._boughs import Tree
from boughs.frames import frame
from boughs.treebanks import Path, Trees, trees_of

#: Trees of a parser, ``None`` where it found none; or the files that they are in.
Parses: TypeAlias = Union[Path, Iterable[Path], Iterable[Union[Tree, None]]]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


@dataclass(frozen=True)
class LabelScores:
    """The brackets of one label."""

    label: str
    precision: float | None
    recall: float | None
    f1: float | None
    matched: int
    gold: int
    test: int


@dataclass(frozen=True)
class Evaluation:
    """The scores of a parser, in percent, ``None`` where there is nothing to count. No sentence is left out.

    ``mismatches`` has the number of each sentence that could not be compared, from 1, and why; such a sentence counts
    with its gold brackets and nothing found.
    """

    sentences: int
    errors: int
    precision: float | None
    recall: float | None
    f1: float | None
    unlabeled_precision: float | None
    unlabeled_recall: float | None
    unlabeled_f1: float | None
    sentence_f1: float | None
    exact: float | None
    tagging: float | None
    crossing: float | None
    no_crossing: float | None
    by_label: list[LabelScores]
    mismatches: list[tuple[int, str]]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as dictionaries and lists."""
        return asdict(self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A table with a row for each label."""
        names = list(LabelScores.__dataclass_fields__)
        return frame({name: [getattr(row, name) for row in self.by_label] for name in names}, backend)

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("Sentences", str(self.sentences)),
            ("Not compared", str(self.errors)),
            ("Labelled precision", _figure(self.precision)),
            ("Labelled recall", _figure(self.recall)),
            ("Labelled F1", _figure(self.f1)),
            ("Unlabelled F1", _figure(self.unlabeled_f1)),
            ("F1, mean over sentences", _figure(self.sentence_f1)),
            ("Exact match", _figure(self.exact)),
            ("Crossing brackets, mean", _figure(self.crossing)),
            ("No crossing", _figure(self.no_crossing)),
            ("Tagging accuracy", _figure(self.tagging)),
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name:<24}{value:>8}" for name, value in self._rows())

    def _repr_html_(self) -> str:
        return html.table(["", "all"], self._rows())


@dataclass(frozen=True)
class Difference:
    """A measure of two parsers, in percent: A minus B, with its interval and its p-value, which is no percentage."""

    measure: str
    a: float | None
    b: float | None
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Comparison:
    """Two parsers on the same sentences. ``is_exact`` if all ways to swap their trees were tried."""

    precision: Difference
    recall: Difference
    f1: Difference
    sentences: int
    trials: int
    is_exact: bool
    confidence: float

    @property
    def p(self) -> float:
        """How often chance alone gives a difference in F1 as large, if the parsers are equally good."""
        return self.f1.p

    def to_dict(self) -> dict[str, Any]:
        """Everything, as dictionaries."""
        return asdict(self)

    def _header(self) -> list[str]:
        return ["", "A", "B", "A - B", f"{self.confidence:.0%} interval", "p"]

    def _rows(self) -> list[list[str]]:
        return [
            [
                row.measure,
                _figure(row.a),
                _figure(row.b),
                f"{row.difference:+.2f}",
                f"{row.low:+.2f} to {row.high:+.2f}",
                f"{row.p:.2g}",
            ]
            for row in (self.precision, self.recall, self.f1)
        ]

    def __str__(self) -> str:
        rows = [self._header(), *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = (
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
            for row in rows
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html.table(self._header(), self._rows())


def _parses(trees: Parses) -> list[Tree | None]:
    if isinstance(trees, (str, PathLike)):
        return list(trees_of(trees))
    listed = list(trees)
    if listed and all(isinstance(tree, (str, PathLike)) for tree in listed):
        return list(trees_of(listed))  # type: ignore[arg-type]
    return listed  # type: ignore[return-value]


def evaluate(gold: Trees, test: Parses, *, settings: str = "COLLINS") -> Evaluation:
    """Scores trees against gold trees of the same sentences, as EVALB does, but without losing a sentence.

    ``settings`` are ``COLLINS``, ``new``, or a ``.prm`` file of EVALB.
    """
    fields = _boughs.evaluate_trees(trees_of(gold), _parses(test), settings)
    fields["by_label"] = [LabelScores(**row) for row in fields["by_label"]]
    fields["mismatches"] = [(number, why) for number, why in fields["mismatches"]]
    return Evaluation(**fields)


def compare(
    gold: Trees,
    a: Parses,
    b: Parses,
    *,
    settings: str = "COLLINS",
    trials: int = 1_000_000,
    samples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 1,
    threads: int | None = None,
) -> Comparison:
    """Is parser A better than parser B, or was it luck?

    The p-values are those of stratified shuffling, two-sided; the intervals those of a paired bootstrap.
    """
    fields = _boughs.compare_trees(
        trees_of(gold), _parses(a), _parses(b), settings, trials, samples, confidence, seed, threads
    )
    precision, recall, f1 = (Difference(**row) for row in fields.pop("measures"))
    return Comparison(precision, recall, f1, **fields, confidence=confidence)
