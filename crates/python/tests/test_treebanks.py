"""Treebanks, scores, comparisons."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import boughs

GOLD = ["(TOP (S (NP (PRP We)) (VP (VBP draw) (NP (NNS trees)))))", "(TOP (S (NP (PRP They)) (VP (VBP bend))))"]
TEST = ["(S (NP (PRP We)) (VP (VBP draw)) (NP (NNS trees)))", "(S (NP (PRP They)) (VP (VBP bend)))"]


def trees(texts: list[str]) -> list[boughs.Tree]:
    return [boughs.Tree(text) for text in texts]


def test_reading(tmp_path: Path) -> None:
    news = boughs.read("@sample/news")
    assert len(news) == 55 and len(boughs.read("@sample")) == 440
    boughs.write(news, tmp_path / "news.mrg")
    assert boughs.read(tmp_path) == news
    (tmp_path / "news.json.gz").write_bytes(gzip.compress("\n".join(tree.to_json() for tree in news).encode()))
    assert boughs.read(tmp_path / "news.json.gz", format="json") == news
    with pytest.raises(boughs.ArgumentError, match="there is no format `mrg`"):
        boughs.read("@sample", format="mrg")
    with pytest.raises(boughs.ArgumentError, match="poems"):
        boughs.read("@sample/poems")


def test_faults_in_files(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mrg"
    broken.write_text("(A a)\n(B (C c)\n(D d)\n")
    with pytest.raises(boughs.FormatError) as caught:
        boughs.read(broken)
    assert (caught.value.file, caught.value.line, caught.value.tree) == (str(broken), 2, 2) and caught.value.hint
    errors: list[boughs.Error] = []
    assert [str(tree) for tree in boughs.read(broken, on_error=errors.append)] == ["(A a)", "(D d)"]
    assert len(errors) == 1 and errors[0].line == 2

    def refuse(error: boughs.Error) -> None:
        raise KeyError(error.line)

    with pytest.raises(KeyError):
        boughs.read(broken, on_error=refuse)


def test_cleaning() -> None:
    tree = boughs.Tree("( (S (NP-SBJ (-NONE- *)) (VP (VB Go)) (. !)))")
    assert [str(clean) for clean in boughs.clean([tree])] == ["( (S (VP (VB Go)) (. !)))"]
    assert boughs.clean([tree], ["remove-traces", "max-length=1"]) == []
    rare = boughs.clean(trees(["(X (A a) (A b))", "(X (A a))"]), "replace-rare=2")
    assert [clean.words for clean in rare] == [["a", "UNK"], ["a"]]
    with pytest.raises(boughs.ArgumentError, match="polish"):
        boughs.clean([tree], "polish")


def test_evaluation(tmp_path: Path) -> None:
    scores = boughs.evaluate(trees(GOLD), trees(TEST))
    assert (scores.sentences, scores.errors, scores.f1) == (2, 0, pytest.approx(2 * 6 / 14 * 100))
    assert {row.label: row.gold for row in scores.by_label} == {"NP": 3, "S": 2, "VP": 2}
    assert "Labelled F1" in str(scores) and "<table>" in scores._repr_html_() and len(scores.to_frame()) == 3
    files = [tmp_path / "gold.mrg", tmp_path / "test.mrg"]
    for path, texts in zip(files, (GOLD, TEST)):
        path.write_text("\n".join(texts))
    assert boughs.evaluate(*files) == scores and boughs.evaluate([files[0]], trees(TEST)) == scores
    lost = boughs.evaluate(trees(GOLD), [None, boughs.Tree("(X (A other))")])
    assert lost.errors == 2 and [number for number, _ in lost.mismatches] == [1, 2] and lost.recall == 0
    with pytest.raises(boughs.MismatchError, match="expected 2 trees as in gold, found 1"):
        boughs.evaluate(trees(GOLD), trees(TEST[:1]))
    with pytest.raises(boughs.Error):
        boughs.evaluate(trees(GOLD), trees(TEST), settings="nowhere.prm")


def test_the_program_gives_the_same_figures(parser: boughs.Parser, tmp_path: Path) -> None:
    gold = boughs.read("@sample/news")[:20]
    parsed = [sentence.tree for sentence in parser.stream(gold)]
    boughs.write(gold, tmp_path / "gold.mrg")
    boughs.write(parsed, tmp_path / "test.mrg")
    scores = boughs.evaluate(gold, parsed)
    command = [sys.executable, "-m", "boughs", "eval", str(tmp_path / "gold.mrg"), str(tmp_path / "test.mrg")]
    printed = subprocess.run(command, capture_output=True, text=True).stdout
    line = next(line for line in printed.splitlines() if line.startswith("Labelled F1"))
    assert line.split()[2] == f"{scores.f1:.2f}" and scores.f1 is not None and scores.f1 > 70


def test_comparison() -> None:
    gold = boughs.read("@sample/news")
    worse = [boughs.Tree(f"(TOP {' '.join(f'({token.tag} x)' for token in tree.tokens)})") for tree in gold]
    found = boughs.compare(gold, gold, worse, trials=10_000, samples=1_000)
    assert found.f1.a == 100 and found.p < 0.001 and found.sentences == 55 and found.f1.low > 0
    again = boughs.compare(gold, gold, worse, trials=10_000, samples=1_000, threads=1)
    assert again == found and str(found).splitlines()[3].startswith("f1") and "<td" in found._repr_html_()
    assert boughs.compare(gold, gold, gold, trials=100, samples=10).p == 1
    with pytest.raises(boughs.ArgumentError, match="confidence between 0 and 1"):
        boughs.compare(gold, gold, worse, confidence=95)
