"""Trees by themselves, and for NLTK and pandas."""

from __future__ import annotations

import json
import sys

import pandas
import polars
import pytest
from nltk.parse.api import ParserI
from nltk.tgrep import tgrep_nodes
from nltk.tree import ParentedTree, ProbabilisticTree
from nltk.tree import Tree as NltkTree

import boughs
from boughs.nltk import BoughsParser

TREES = [
    "(TOP (S (NP (DT The) (NN man)) (VP (VBZ sleeps) (PP (IN in) (NP (DT the) (NN garden)))) (. .)))",
    "( (NP-SBJ (-LRB- -LRB-) (SYM \\ ) (NN a\\/b) (-RRB- -RRB-)))",
    "(NN word)",
    "()",
    "(S (S (S (VB go))))",
    "(NP (NN 😀) (NN \"\") (_ x))",
]


def test_brackets_and_back() -> None:
    for text in TREES:
        tree = boughs.Tree(text)
        assert str(tree) == text and boughs.Tree(str(tree)) == tree and hash(boughs.Tree(text)) == hash(tree)
        assert boughs.Tree(tree.pretty()) == tree
        assert boughs.Tree.from_json(tree.to_json()) == tree == boughs.Tree.from_dict(tree.to_dict())
        assert eval(repr(tree), {"Tree": boughs.Tree}) == tree
        assert tree.svg().startswith("<svg") and tree._repr_svg_() == tree.svg()
        assert tree.draw() and tree.latex()
    assert boughs.Tree("(A a)") != boughs.Tree("(A b)") and boughs.Tree("(A a)") != "(A a)"


def test_faults_have_their_place() -> None:
    with pytest.raises(boughs.FormatError) as caught:
        boughs.Tree("(S (NP (DT The))\n(VP")
    assert caught.value.line is not None and isinstance(caught.value, ValueError)
    with pytest.raises(boughs.FormatError):
        boughs.Tree("(A a) (B b)")
    with pytest.raises(boughs.ArgumentError):
        boughs.Tree.from_json("")


def test_nltk_and_back() -> None:
    for text in TREES:
        tree = boughs.Tree(text)
        assert boughs.Tree.from_nltk(tree.to_nltk()) == tree
        if text != "()":
            assert NltkTree.fromstring(text).leaves() == [
                word.replace("(", "-LRB-").replace(")", "-RRB-") or '""' for word in tree.words
            ]
    assert boughs.Tree(TREES[0]).to_nltk() == NltkTree.fromstring(TREES[0])
    with pytest.raises(boughs.ArgumentError, match="expected a tag above every word"):
        boughs.Tree.from_nltk(NltkTree("S", ["a", "b"]))


def test_deep_trees() -> None:
    depth = 20_000
    tree = boughs.Tree("(NP " * depth + "(NN a)" + ")" * depth)
    assert boughs.Tree.from_nltk(tree.to_nltk()) == tree and tree.phrases[-1].depth == depth - 1


def test_a_parser_of_nltk(parser: boughs.Parser) -> None:
    nltk = BoughsParser(parser)
    words = ["The", "man", "sleeps", "in", "the", "garden", "."]
    expected = NltkTree.fromstring(TREES[0])
    assert isinstance(nltk, ParserI)
    assert list(nltk.parse(words)) == [expected] == nltk.parse_all(words)
    assert nltk.parse_one(words) == expected
    assert [list(trees) for trees in nltk.parse_sents([words, words])] == [[expected]] * 2
    assert list(nltk.raw_parse("The man sleeps in the garden.")) == [expected]
    assert [next(trees) for trees in nltk.raw_parse_sents(["The man sleeps in the garden."])] == [expected]
    tagged = next(nltk.tagged_parse([("fish", "NN"), ("fish", "VBP")]))
    assert tagged.pos() == [("fish", "NN"), ("fish", "VBP")]
    assert [next(trees) for trees in nltk.tagged_parse_sents([[("fish", "NN"), ("fish", "VBP")]])] == [tagged]
    several = list(BoughsParser(parser, n_best=3).parse("We saw the man with the telescope .".split()))
    assert len(several) == 3 and all(isinstance(tree, ProbabilisticTree) for tree in several)
    assert sum(tree.prob() for tree in several) == pytest.approx(1.0)
    assert several[0].prob() >= several[1].prob() >= several[2].prob() > 0


def test_tables(document: boughs.Document) -> None:
    table = document.to_frame()
    assert isinstance(table, pandas.DataFrame)
    assert len(table) == sum(len(sentence.tree.phrases) for sentence in document)
    for row in table.itertuples():
        assert document.text[row.start_char : row.end_char] == row.text
    roots = table[table.parent.isna()]
    assert list(roots.sentence) == list(range(len(document))) and set(roots.label) == {"TOP"}
    of_first = table[table.sentence == 0].set_index("phrase")
    assert all(of_first.depth[parent] == depth - 1 for parent, depth in zip(of_first.parent, of_first.depth) if depth)
    again = document.to_frame("polars")
    assert isinstance(again, polars.DataFrame) and again["text"].to_list() == list(table.text)
    assert len(boughs.load()("").to_frame()) == 0
    with pytest.raises(boughs.ArgumentError, match="pandas or polars"):
        document.to_frame("excel")


def test_what_is_missing_is_told(document: boughs.Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'boughs\[frames\]'"):
        document.to_frame()


def test_notebooks_show_trees(document: boughs.Document) -> None:
    assert document._repr_html_().count("<svg") == len(document)
    assert document[0]._repr_svg_() == document[0].tree.svg()
    assert json.loads(document[0].tree.to_json())["tokens"][0]["word"] == "The"


#: Every relation that both know. (NLTK's `>>,` and `>>'` compare subtrees where they mean nodes, so they are not here.)
PATTERNS = """
NP < PP ; NP > VP ; NP <2 PP ; PP >2 NP ; NP <, DT ; DT >, NP ; NP <-1 NN ; NN >-1 NP ; NP <- PP ; PP >- NP ; NP <' NN
NN >' NP ; NP <: NN ; NN >: NP ; S << VB ; VP >> S ; S <<, DT ; S <<: VB ; VB >>: S ; DT . NN ; NN , DT ; NP .. VP
VP ,, NP ; NP $ VP ; NP $. VP ; VP $, NP ; NP $.. VP ; VP $,, NP ; NP % VP ; NP %. VP ; VP !<< PP ; NP !> VP ; NP !$ VP
NP < DT < NN ; NP < DT & < NN ; /^N/ > NP ; NP [< PP | < SBAR] ; NP [< DT !< PP] > VP ; NP < (NN $, DT) ; __ > PP
* < NNS ; NP|QP < CD ; NN < /ing$/ ; "NP" < PP ; S < (NP $.. (VP < VBD))
"""


def test_search_finds_what_tgrep_finds() -> None:
    """The same nodes as NLTK's tgrep, on trees of the sample."""
    trees = boughs.read("@sample")[::9]
    nltk_trees = [ParentedTree.convert(tree.to_nltk()) for tree in trees]
    num_found = 0
    for pattern in PATTERNS.replace("\n", ";").strip(";").split(";"):
        for tree, nltk_tree in zip(trees, nltk_trees):
            theirs = tgrep_nodes(pattern.strip(), [nltk_tree], search_leaves=False)
            expected = sorted(" ".join(node.leaves()) for found in theirs for node in found)
            assert sorted(" ".join(_words(node)) for node in tree.search(pattern)) == expected, (pattern, str(tree))
            num_found += len(expected)
    assert num_found > 1000
    with pytest.raises(boughs.Error, match="column 6: expected a node .* found `< \\(`"):
        trees[0].search("NP <<< (")


def _words(node: boughs.Phrase | boughs.Token) -> list[str]:
    return [node.word] if isinstance(node, boughs.Token) else node.words
