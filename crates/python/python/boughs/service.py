"""Parsing over HTTP, with a page: ``boughs serve`` in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path as FilePath
from types import TracebackType

from boughs._boughs import Parser
from boughs.errors import Error
from boughs.treebanks import Path

#: Seconds that a service has to answer what it has accepted.
_ENDING = 60


class Service:
    """A service that runs, until :meth:`stop`, the end of a ``with`` block, or that of this process."""

    def __init__(self, command: Sequence[str], files: tempfile.TemporaryDirectory[str]) -> None:
        # In a group of its own, so that Ctrl-C here is not Ctrl-C there.
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self._files = files
        self._end = weakref.finalize(self, _stop, self._process)
        assert self._process.stdout is not None and self._process.stderr is not None
        #: Where it answers, as ``http://127.0.0.1:9000``.
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            raise Error(self._process.stderr.read().strip() or "the service ended before it answered")

    def stop(self) -> None:
        """Ends it, after what it has accepted."""
        self._end()

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<boughs.Service {self.address}>"


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        # It may have more to say than a pipe holds.
        process.communicate(timeout=_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def serve(
    *models: Path | Parser,
    port: int = 9000,
    host: str = "127.0.0.1",
    threads: int | None = None,
    treebanks: Sequence[Path] = (),
    watch: Sequence[Path] = (),
    reports: Sequence[Path] = (),
    options: Sequence[str] = (),
) -> Service:
    """Starts ``boughs serve``: over HTTP, and with a page to look at. It answers once this returns.

    Args:
        models: Files, names of parsers inside the package, or parsers, which are called ``parser1`` and so on; ``@english``
            if there is none.
        port: 0 for any that is free.
        threads: Threads that parse.
        treebanks, watch, reports: Treebanks, runs of training and reports of experiments for the page.
        options: Others of ``boughs serve --help``, as ``["--max-body", "10M"]``.
    """
    files = tempfile.TemporaryDirectory()
    named: list[str] = []
    for number, model in enumerate(models, 1):
        path = FilePath(files.name, f"parser{number}.model") if isinstance(model, Parser) else model
        if isinstance(model, Parser):
            model.save(path)
        named += ["--model", os.fspath(path)]
    for flag, paths in [("--treebank", treebanks), ("--watch", watch), ("--reports", reports)]:
        for given in paths:
            named += [flag, os.fspath(given)]
    if threads is not None:
        named += ["--threads", str(threads)]
    command = [sys.executable, "-m", "boughs", "serve", "--port", str(port), "--host", host, *named, *options]
    return Service(command, files)
