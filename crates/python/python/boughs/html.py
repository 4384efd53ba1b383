"""What notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boughs._boughs import Document

#: A notebook that shows more pictures than this is slow; the rest is one line away.
MAX_TREES = 20


def document(sentences: Document) -> str:
    """The trees of a document, one below the other."""
    shown = [f"<div>{sentences[number].tree.svg()}</div>" for number in range(min(len(sentences), MAX_TREES))]
    if len(sentences) > MAX_TREES:
        shown.append(f"<p>and {len(sentences) - MAX_TREES} more sentences</p>")
    return "\n".join(shown)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table whose first column has names and whose others have numbers."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr><th>{escape(row[0])}</th>{''.join(map(_cell, row[1:]))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    return f'<td style="text-align: right">{escape(text)}</td>'
