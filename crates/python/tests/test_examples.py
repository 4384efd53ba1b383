"""Every example of the manual is run, and read by mypy."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boughs

ROOT = Path(__file__).parents[3]


def examples(page: Path) -> list[doctest.Example]:
    """The examples of a page, those of modules as well, which begin with a prompt."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    return doctest.DocTestParser().get_examples("\n".join(blocks))


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_pages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = examples(ROOT / name)
    assert found, f"{name} has examples"
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTest(found, {}, name, str(ROOT / name), 0, None)
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert failed == 0, "".join(report)


@pytest.mark.parametrize("module", ["boughs", "boughs.nltk", "boughs.spacy", "boughs.learn"])
def test_modules(module: str) -> None:
    failed, tried = doctest.testmod(__import__(module, fromlist=["_"]))
    assert failed == 0 and tried > 0


def test_types(tmp_path: Path) -> None:
    program = tmp_path / "manual.py"
    program.write_text("".join(example.source for example in examples(ROOT / "docs/python.md")), encoding="utf-8")
    config = ROOT / "crates/python/mypy.ini"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(config), str(program)]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "crates/python/python")}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert run.returncode == 0, run.stdout


def test_a_notebook_shows_pictures(tmp_path: Path) -> None:
    import nbclient
    import nbformat

    cells = [
        "import boughs\nparser = boughs.load()\ndoc = parser('He sleeps. She reads.')\ndoc",
        "doc[0].tree",
        "gold = boughs.read('@sample/news')[:3]\nboughs.evaluate(gold, gold)",
        "boughs.compare(gold, gold, gold, trials=10, samples=10)",
        "boughs.train('pcfg', train=gold, dev=gold).about['kind']",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [[output for output in cell.outputs if "data" in output] for cell in notebook.cells]
    assert outputs[0][0].data["text/html"].count("<svg") == 2
    assert outputs[1][0].data["image/svg+xml"].startswith("<svg")
    assert "Labelled F1" in outputs[2][0].data["text/html"] and "interval" in outputs[3][0].data["text/html"]
    table = next(output for output in outputs[4] if "text/html" in output.data)
    assert "<th>F1</th>" in table.data["text/html"]
