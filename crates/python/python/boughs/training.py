"""Training parsers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from boughs import _boughs
from boughs._boughs import Parser
from boughs.errors import ArgumentError
from boughs.progress import Progress
from boughs.treebanks import Path, Trees, trees_of

#: How a parser is trained; ``docs/train.md`` tells which is for what.
Method: TypeAlias = Literal["recommended", "latent", "conditional", "crf", "pcfg", "boosted", "neural"]


@dataclass(frozen=True)
class Step:
    """A step of training: its figures, and the scores of the parser after it, if there are development trees."""

    number: int
    figures: dict[str, float]
    scores: dict[str, float] | None

    @staticmethod
    def _of(report: dict[str, Any]) -> Step:
        step = report["step"]
        scores = step["scores"]
        return Step(
            number=report["number"],
            figures=_by_name(step["figures"]),
            scores=None if scores is None else _by_name(scores["figures"]),
        )


def _by_name(figures: list[dict[str, Any]]) -> dict[str, float]:
    # JSON has no numbers that are not finite.
    return {figure["name"]: math.nan if figure["value"] is None else figure["value"] for figure in figures}


def settings_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings by their names in files; what is None has its default."""
    return {
        name.replace("_", "-"): settings_of(value) if isinstance(value, dict) else value
        for name, value in settings.items()
        if value is not None
    }


def train(
    method: Method = "recommended",
    *,
    train: Trees,
    dev: Trees | None = None,
    out: Path | None = None,
    on_step: Callable[[Step], object] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: bool = True,
    name: str = "",
    version: str = "",
    note: str = "",
    **settings: Any,
) -> Parser:
    """Trains a parser on trees, measured on others after each step, and gives the best.

    Args:
        method: How; without one two latent-variable grammars and a tagger are trained.
        train: Trees, or files.
        dev: Trees to measure on, or files.
        out: The file to write. Beside it there is a checkpoint, ``OUT.checkpoint``, until training has ended.
        on_step: Is called after each step. If it raises, training ends as after Ctrl-C: with a checkpoint.
        resume: Go on from the checkpoint of a run that was broken off; the result is the same to the last byte.
        threads: One for each processor by default; the result does not depend on it.
        progress: Show on standard error, or in the notebook, how training gets on.
        name, version, note: What the model says about itself.
        settings: Those of the method, as ``max_rounds=3``; tables as dictionaries.
    """
    return train_with(
        None,
        method,
        some_trees(train, "train"),
        None if dev is None else some_trees(dev, "dev"),
        out=out,
        on_step=on_step,
        resume=resume,
        threads=threads,
        progress=progress,
        name=name,
        version=version,
        note=note,
        settings=settings_of(settings),
    )


def train_with(
    others: Any,
    method: str,
    train: list[Any],
    dev: list[Any] | None,
    *,
    out: Path | None,
    on_step: Callable[[Step], object] | None,
    resume: bool,
    threads: int | None,
    progress: bool,
    name: str,
    version: str,
    note: str,
    settings: dict[str, Any],
) -> Parser:
    """The same with other processes, which an engine connects to this one: see ``boughs.ray``."""
    checkpoint = None if out is None else f"{os.fspath(out)}.checkpoint"
    _check(out, checkpoint, resume)
    shown = Progress(progress)

    def on_report(report: dict[str, Any]) -> None:
        if report["event"] == "step":
            step = Step._of(report)
            shown.step(step.number, {**step.figures, **(step.scores or {})})
            if on_step is not None:
                on_step(step)
        elif report["event"] == "note":
            shown.note(report["text"])
        else:
            shown.tell(report["share"], report["text"])

    request = {
        "settings": settings,
        "others": others,
        "out": out,
        "checkpoint": checkpoint,
        "resume": resume,
        "threads": threads,
        "name": name,
        "version": version,
        "note": note,
    }
    with shown:
        return _boughs.train_parser(method, train, dev, request, on_report)


def some_trees(trees: Trees, what: str) -> list[Any]:
    found = trees_of(trees)
    if not found:
        raise ArgumentError(f"expected trees, found none: check {what}=", hint="give trees or files")
    return found


def _check(out: Path | None, checkpoint: str | None, resume: bool) -> None:
    """Hours of work must not be lost by a slip of the pen."""
    if checkpoint is None or out is None:
        if resume:
            raise ArgumentError("expected a file to resume beside, found none", hint="name the model with out=")
        return
    directory = os.path.dirname(os.fspath(out)) or "."
    if os.path.isdir(out) or not os.path.isdir(directory):
        raise ArgumentError(f"out={os.fspath(out)!r}: expected a file in a directory that exists", hint="make it first")
    if os.path.exists(checkpoint) and not resume:
        raise ArgumentError(
            f"{checkpoint}: there is a checkpoint of an interrupted run",
            hint="go on with resume=True, or remove it to start anew",
        )
    if resume and not os.path.exists(checkpoint):
        raise ArgumentError(f"{checkpoint}: there is no checkpoint to resume from", hint="leave out resume=True")
