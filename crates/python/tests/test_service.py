"""The service, started from Python."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import boughs


def ask(service: boughs.Service, route: str, body: bytes | None = None) -> bytes:
    request = urllib.request.Request(service.address + route, body, {"Content-Type": "text/plain"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        content: bytes = answer.read()
    return content


def test_a_service(tmp_path: Path) -> None:
    parser = boughs.train("pcfg", train="@sample/news", progress=False)
    with boughs.serve(parser, port=0, threads=1, treebanks=["@sample/news"], options=["--max-words", "9"]) as service:
        assert service.address.startswith("http://127.0.0.1:")
        found = ask(service, "/parse?format=brackets", b"The dog sees it.").decode().strip()
        assert found == str(parser("The dog sees it.")[0].tree)
        models = json.loads(ask(service, "/models"))["models"]
        assert [model["name"] for model in models] == ["parser1"]
        assert b"news" in ask(service, "/treebanks") and b"<title>" in ask(service, "/")
        with pytest.raises(urllib.error.HTTPError, match="413"):
            ask(service, "/parse", b"one two three four five six seven eight nine ten.")
    with pytest.raises(urllib.error.URLError):
        ask(service, "/live")


def test_what_cannot_be_served(tmp_path: Path) -> None:
    with pytest.raises(boughs.Error, match="none.model"):
        boughs.serve(tmp_path / "none.model", port=0)
