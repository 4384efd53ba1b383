"""Why a parser decided as it did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias, Union

from boughs import html
from boughs._boughs import Parser, Tree

#: The text of a sentence, its words, its words with tags, or a tree, whose words are parsed anew.
AnySentence: TypeAlias = Union[str, Iterable[str], Iterable["tuple[str, str]"], Tree]


@dataclass(frozen=True)
class ExplainedStep:
    """A part of the best tree.

    ``alternatives`` are what else there might have been (``None`` for no phrase), and by how much it falls behind;
    ``reasons`` are what speaks for it, in words, and how much that adds, the most important first.
    """

    label: str
    start: int
    end: int
    words: list[str]
    score: float
    alternatives: list[tuple[str | None, float]]
    reasons: list[tuple[str, float]]

    @property
    def text(self) -> str:
        """Its words with blanks between them."""
        return " ".join(self.words)


@dataclass(frozen=True)
class Explanation:
    """The steps to the best tree of a sentence."""

    steps: list[ExplainedStep]

    def __str__(self) -> str:
        lines = []
        for step in self.steps:
            lines.append(f"{step.score:+.3f}  {step.label}  “{step.text}”")
            lines += [f"    {label or 'no phrase'} is {margin:.3f} behind" for label, margin in step.alternatives]
            lines += [f"        {weight:+.3f}  {reason}" for reason, weight in step.reasons[:5]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [
            [step.label, step.text, f"{step.score:+.3f}", "; ".join(f"{reason} {weight:+.3f}" for reason, weight in step.reasons[:3])]
            for step in self.steps
        ]
        return html.table(["step", "words", "score", "reasons"], rows)


def explain(parser: Parser, sentence: AnySentence, alternatives: int = 2) -> Explanation:
    """The steps to the best tree of a sentence, each with so many alternatives and all reasons."""
    steps = parser._explain(sentence, alternatives=alternatives)
    return Explanation(
        [
            ExplainedStep(
                **{
                    **step,
                    "alternatives": [(label, margin) for label, margin in step["alternatives"]],
                    "reasons": [(reason, weight) for reason, weight in step["reasons"]],
                }
            )
            for step in steps
        ]
    )
