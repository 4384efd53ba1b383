"""How long runs get on, in terminals and in notebooks."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from boughs import html

#: Seconds between two looks at a run.
_PAUSE = 0.2


def _in_notebook() -> bool:
    """Whether this runs in a notebook, without importing IPython where nobody has."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class Progress:
    """A table of steps that grows, and a line about the step at hand, on standard error or below the cell."""

    def __init__(self, is_shown: bool) -> None:
        self._steps: list[tuple[int, dict[str, float]]] = []
        self._line = ""
        self._last = 0.0
        self._display: Any = None
        self._is_shown = is_shown
        self._is_notebook = is_shown and _in_notebook()
        self._is_terminal = is_shown and not self._is_notebook and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._set_line("", force=True)

    def step(self, number: int, figures: dict[str, float]) -> None:
        """A step is done."""
        self._steps.append((number, figures))
        if self._is_notebook:
            self._show_notebook()
        elif self._is_shown:
            self._print("  ".join([f"step {number}", *(f"{name} {value:g}" for name, value in figures.items())]))

    def note(self, text: str) -> None:
        """Something worth a line, once."""
        if self._is_shown and not self._is_notebook:
            self._print(text)

    def tell(self, share: float | None, text: str) -> None:
        """Where the step at hand stands."""
        self._set_line(text if share is None else f"{100 * share:3.0f}%  {text}")

    def _print(self, text: str) -> None:
        start = "\r\x1b[K" if self._is_terminal and self._line else ""
        sys.stderr.write(f"{start}{text}\n")
        sys.stderr.flush()

    def _set_line(self, line: str, force: bool = False) -> None:
        now = time.monotonic()
        if line == self._line or (now - self._last < _PAUSE and not force):
            return
        self._line, self._last = line, now
        if self._is_notebook:
            self._show_notebook()
        elif self._is_terminal:
            sys.stderr.write(f"\r\x1b[K{line[:100]}")
            sys.stderr.flush()

    def _show_notebook(self) -> None:
        from IPython.display import HTML, display

        names = list(dict.fromkeys(name for _, figures in self._steps for name in figures))
        rows = [
            [str(number), *(f"{figures[name]:g}" if name in figures else "" for name in names)]
            for number, figures in self._steps
        ]
        shown = HTML(html.table(["step", *names], rows, self._line))  # type: ignore[no-untyped-call, unused-ignore]
        if self._display is None:
            self._display = display(shown, display_id=True)  # type: ignore[no-untyped-call, unused-ignore]
        else:
            self._display.update(shown)
