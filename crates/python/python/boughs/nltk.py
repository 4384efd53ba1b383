"""boughs in the idioms of NLTK.

>>> from boughs.nltk import BoughsParser
>>> parser = BoughsParser()
>>> tree = parser.parse_one("The shop sells umbrellas .".split())
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from boughs._boughs import Parser, Sentence, Token, Tree, load
from boughs.errors import ArgumentError
from boughs.extras import extra

with extra("nltk"):
    from nltk.parse.api import ParserI
    from nltk.tree import ProbabilisticTree
    from nltk.tree import Tree as NltkTree

__all__ = ["BoughsParser", "from_nltk", "to_nltk"]


def to_nltk(tree: Tree) -> NltkTree:
    """A tree for NLTK, whose leaves are words; brackets in words are as in the text."""
    root = tree.root
    if root is None:
        # An empty tree, or a bare token.
        words = [NltkTree(token.tag, [token.word]) for token in tree.tokens]
        return words[0] if words else NltkTree("", [])
    top: NltkTree = NltkTree(root.label, [])
    # Trees may be deeper than Python can recur.
    open_phrases = [(root, top)]
    while open_phrases:
        phrase, built = open_phrases.pop()
        for child in phrase.children:
            if isinstance(child, Token):
                built.append(NltkTree(child.tag, [child.word]))
            else:
                below: NltkTree = NltkTree(child.label, [])
                built.append(below)
                open_phrases.append((child, below))
    return top


def from_nltk(tree: NltkTree) -> Tree:
    """A tree of NLTK; every word must stand below a tag of its own, as in ``(NN word)``."""
    tokens: list[dict[str, str]] = []
    nodes: list[dict[str, Any]] = []
    # A phrase, the number of its parent, and whether its words are done.
    todo: list[tuple[NltkTree, int | None, int | None]] = [(tree, None, None)]
    while todo:
        subtree, parent, number = todo.pop()
        if number is not None:
            nodes[number]["end"] = len(tokens)
            continue
        if len(subtree) == 1 and isinstance(subtree[0], str):
            tokens.append({"word": subtree[0], "tag": str(subtree.label())})
            continue
        if any(not isinstance(child, NltkTree) for child in subtree):
            raise ArgumentError(
                f"expected a tag above every word, found a word beside others in {subtree.label()}",
                hint="give trees with parts of speech, as (NN word)",
            )
        if len(subtree) == 0 and parent is not None:
            raise ArgumentError(f"expected words below {subtree.label()}, found none", hint="remove empty phrases")
        number = len(nodes)
        nodes.append({"label": str(subtree.label()), "start": len(tokens), "end": 0, "parent": parent})
        todo.append((subtree, parent, number))
        todo.extend((child, number, None) for child in reversed(subtree))
    if not tokens:
        return Tree("()")
    return Tree.from_dict({"tokens": tokens, "nodes": nodes})


def _probabilistic(sentence: Sentence) -> Iterator[ProbabilisticTree]:
    """The trees of a sentence, the best first, each with its share of the probability of them all."""
    scores = [-math.inf if score is None else score for score in sentence.scores]
    best = max(scores)
    weights = [math.exp(score - best) if best > -math.inf else 1.0 for score in scores]
    for tree, weight in zip(sentence.trees, weights):
        built = to_nltk(tree)
        yield ProbabilisticTree(built.label(), list(built), prob=weight / sum(weights))


class BoughsParser(ParserI):  # type: ignore[misc, unused-ignore]
    """A parser of NLTK: ``parse`` gives the best trees of a sentence, the best first.

    ``model`` is what :func:`boughs.load` takes, or a parser. With ``n_best`` above 1 there are several trees, as
    :class:`nltk.tree.ProbabilisticTree`, whose probabilities are their shares of that of all trees given.
    """

    def __init__(self, model: str | Parser | None = None, *, n_best: int = 1, threads: int | None = None) -> None:
        self.parser = model if isinstance(model, Parser) else load(model)
        self.n_best = n_best
        self.threads = threads

    def grammar(self) -> None:
        """There is none that NLTK could show."""
        return None

    def _trees(self, sentences: Iterable[Any]) -> Iterator[Iterator[NltkTree]]:
        for sentence in self.parser.stream(sentences, n_best=self.n_best, threads=self.threads):
            yield iter([to_nltk(sentence.tree)]) if self.n_best == 1 else _probabilistic(sentence)

    def parse(self, sent: Iterable[str], *args: Any, **kwargs: Any) -> Iterator[NltkTree]:
        """The trees of a sentence of words."""
        return next(self._trees([list(sent)]))

    def parse_sents(self, sents: Iterable[Iterable[str]], *args: Any, **kwargs: Any) -> Iterator[Iterator[NltkTree]]:
        """The trees of each sentence, as they are asked for."""
        return self._trees(list(sent) for sent in sents)

    def parse_one(self, sent: Iterable[str], *args: Any, **kwargs: Any) -> NltkTree:
        """The best tree of a sentence of words."""
        return next(self.parse(sent))

    def parse_all(self, sent: Iterable[str], *args: Any, **kwargs: Any) -> list[NltkTree]:
        """All trees of a sentence of words that were asked for."""
        return list(self.parse(sent))

    def tagged_parse(self, sent: Iterable[tuple[str, str]]) -> Iterator[NltkTree]:
        """The trees of a sentence of words with tags, which stay."""
        return next(self._trees([list(sent)]))

    def tagged_parse_sents(self, sents: Iterable[Iterable[tuple[str, str]]]) -> Iterator[Iterator[NltkTree]]:
        """The trees of each sentence of words with tags."""
        return self._trees(list(sent) for sent in sents)

    def raw_parse(self, sentence: str) -> Iterator[NltkTree]:
        """The trees of the text of one sentence, which is tokenised first."""
        return next(self._trees([sentence]))

    def raw_parse_sents(self, sentences: Iterable[str]) -> Iterator[Iterator[NltkTree]]:
        """The trees of each text of one sentence."""
        return self._trees(sentences)
