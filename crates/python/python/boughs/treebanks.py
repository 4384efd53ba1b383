"""Treebanks: read, cleaned, written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, Union

from boughs import _boughs
from boughs._boughs import Tree
from boughs.errors import Error

#: A file or a directory, plain or compressed; ``@sample`` is the treebank inside the package.
Path: TypeAlias = Union[str, "os.PathLike[str]"]

#: Trees, or the files that they are in.
Trees: TypeAlias = Union[Path, Iterable[Path], Iterable[Tree]]


def read(
    *paths: Path,
    format: str | None = None,
    encoding: str = "utf8",
    attach_discontinuous: bool = False,
    on_error: Callable[[Error], object] | None = None,
) -> list[Tree]:
    """The trees of files or directories, in order.

    Args:
        paths: Files, directories, or ``@sample``; ``.gz`` is undone.
        format: ``bracket``, ``export``, ``tiger``, ``sinica``, ``floresta``, ``alpino``, ``json`` or ``table``; by default each file tells.
        encoding: ``utf8`` or ``latin1``.
        attach_discontinuous: Make discontinuous trees continuous, instead of refusing them.
        on_error: Is called with the error of each tree that cannot be read; reading goes on with the next. Without it
            the first such error is raised.
    """
    return _boughs.read_trees(list(paths), format, encoding, attach_discontinuous, on_error)


def trees_of(trees: Trees) -> list[Tree]:
    """Trees, or those of the files that are named."""
    if isinstance(trees, (str, os.PathLike)):
        return read(trees)
    listed = list(trees)
    if all(isinstance(tree, (str, os.PathLike)) for tree in listed):
        return read(*listed) if listed else []  # type: ignore[arg-type]
    return listed  # type: ignore[return-value]


def clean(trees: Trees, steps: str | Sequence[str] = "eval") -> list[Tree]:
    """Trees after some steps; those that a step finds too long are left out.

    ``steps`` are the names that ``boughs treebank clean --help`` lists, as ``["remove-traces", "max-length=40"]``, or
    the name of a pipeline: ``eval``, ``tm05`` or ``tm06``.
    """
    return _boughs.clean_trees(trees_of(trees), steps if isinstance(steps, str) else ",".join(steps))


def write(trees: Iterable[Tree], path: Path) -> None:
    """Writes trees in brackets, a line for each."""
    text = _boughs.write_trees(list(trees))
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
