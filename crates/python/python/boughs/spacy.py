"""boughs in spaCy pipelines, under the names of benepar.

>>> import spacy
>>> nlp = spacy.blank("en")
>>> _ = nlp.add_pipe("boughs")
>>> sentence = next(nlp("The man sleeps in the garden.").sents)
>>> sentence._.parse_string
'(S (NP (DT The) (NN man)) (VP (VBZ sleeps) (PP (IN in) (NP (DT the) (NN garden)))) (. .))'
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

from boughs import _boughs
from boughs._boughs import Parser, Sentence, load
from boughs.errors import ArgumentError
from boughs.extras import extra

with extra("spacy"):
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

__all__ = ["BoughsComponent", "NonConstituentException", "make_boughs"]

#: Labels of roots, which benepar does not show either.
_ROOTS = {"", "TOP", "ROOT", "S1", "VROOT"}

#: How bracket files write brackets.
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "{": "-LCB-", "}": "-RCB-", "[": "-LSB-", "]": "-RSB-"}


class NonConstituentException(ValueError):
    """The span is no constituent of the tree."""


class _Constituents(TypedDict):
    """All constituents of a document, sentence after sentence, in pre-order; single tokens are some as well.

    Plain lists, so that a document can be written to disk.
    """

    starts: list[int]
    ends: list[int]
    #: The labels of phrases over the same tokens, the highest first; none for a token without a phrase of its own.
    labels: list[list[str]]
    #: How sure the parser is of the lowest of them.
    confidences: list[float | None]
    #: The parser's part of speech of each token of the document, empty for white space.
    tags: list[str]


class BoughsComponent:
    """A pipe that adds constituents; ``sentence._.parse_string`` and the other extensions read them."""

    def __init__(
        self,
        name: str = "boughs",
        *,
        model: str | None = None,
        set_tags: bool = False,
        use_tags: bool = False,
        threads: int | None = None,
    ) -> None:
        self.name = name
        self.parser: Parser = load(model)
        self.set_tags = set_tags
        self.use_tags = use_tags
        self.threads = threads

    def __call__(self, doc: Doc) -> Doc:
        """Adds the constituents of a document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Adds the constituents of documents, whose sentences are parsed side by side.

        How many are on their way at a time is up to the parser, whatever the batch size.
        """
        waiting: deque[tuple[Doc, list[tuple[Span, list[int]]], list[Sentence]]] = deque()

        def sentences() -> Iterator[list[Any]]:
            for doc in stream:
                places = [(sent, [token.i for token in sent if not token.is_space]) for sent in _sentences(doc)]
                waiting.append((doc, places, []))
                for _, indices in places:
                    yield [self._input(doc[index]) for index in indices]

        parsed = self.parser.stream(sentences(), threads=self.threads)
        for sentence in parsed:
            while len(waiting[0][2]) == len(waiting[0][1]):
                yield self._finish(*waiting.popleft())
            waiting[0][2].append(sentence)
        while waiting:
            yield self._finish(*waiting.popleft())

    def _input(self, token: Token) -> Any:
        return (token.text, token.tag_) if self.use_tags else token.text

    def _finish(self, doc: Doc, places: list[tuple[Span, list[int]]], parsed: list[Sentence]) -> Doc:
        data = _Constituents(starts=[], ends=[], labels=[], confidences=[], tags=[""] * len(doc))
        for (sent, indices), sentence in zip(places, parsed):
            _add(data, sent, indices, sentence)
        doc._._constituent_data = data
        if self.set_tags:
            for token, tag in zip(doc, data["tags"]):
                token.tag_ = tag or "_SP"
        return doc


def _sentences(doc: Doc) -> Iterable[Span]:
    """The sentences of a document: its own, or those that boughs finds if it has none."""
    if len(doc) > 0 and not doc.has_annotation("SENT_START"):
        starts = deque(start for start, _ in _boughs.split(doc.text))
        for token in doc:
            # White space belongs to the sentence before it.
            is_start = bool(starts) and token.idx >= starts[0] and not token.is_space
            while is_start and starts and starts[0] <= token.idx:
                starts.popleft()
            token.is_sent_start = is_start or token.i == 0
    return doc.sents


def _add(data: _Constituents, sent: Span, indices: list[int], sentence: Sentence) -> None:
    """Adds the constituents of a sentence, whose words are the tokens at these indices."""
    tree = sentence.tree
    for index, tag in zip(indices, tree.tags):
        data["tags"][index] = tag
    #: By the words that they are over: the labels of phrases, in pre-order.
    chains: dict[tuple[int, int], list[Any]] = {}
    for phrase in tree.phrases:
        if phrase.parent is not None or phrase.label not in _ROOTS:
            chains.setdefault((phrase.start, phrase.end), []).append(phrase)
    whole = (0, len(indices))
    for word in range(len(indices)):
        chains.setdefault((word, word + 1), [])
    chains.setdefault(whole, [])
    for (start, end), phrases in sorted(chains.items(), key=lambda item: (item[0][0], -item[0][1])):
        if start == end:
            continue
        is_whole = (start, end) == whole
        # White space at the edges of a sentence is a part of it.
        first, last = (sent.start, sent.end) if is_whole else (indices[start], indices[end - 1] + 1)
        data["starts"].append(first)
        data["ends"].append(last)
        data["labels"].append([phrase.label for phrase in phrases])
        data["confidences"].append(phrases[-1].confidence if phrases else None)
        if is_whole and len(indices) == 1 and (first, last) != (indices[0], indices[0] + 1):
            data["starts"].append(indices[0])
            data["ends"].append(indices[0] + 1)
            data["labels"].append([])
            data["confidences"].append(None)


def _find(span: Span) -> tuple[_Constituents, int]:
    """The constituents of a document, and which of them a span is."""
    data: _Constituents | None = span.doc._._constituent_data
    if data is None:
        raise ArgumentError(
            "expected a document with constituents, found one without",
            hint='add the component: nlp.add_pipe("boughs")',
        )
    for place in range(bisect_left(data["starts"], span.start), len(data["starts"])):
        if (data["starts"][place], data["ends"][place]) == (span.start, span.end):
            return data, place
        if data["starts"][place] > span.start:
            break
    raise NonConstituentException(f"Span is not a constituent: {span}")


def _inside(data: _Constituents, place: int) -> Iterator[int]:
    """The places of a constituent and of all below it."""
    end = data["ends"][place]
    for below in range(place, len(data["starts"])):
        if data["starts"][below] >= end:
            return
        yield below


def _labels(span: Span) -> tuple[str, ...]:
    data, place = _find(span)
    return tuple(data["labels"][place])


def _confidence(span: Span) -> float | None:
    data, place = _find(span)
    return data["confidences"][place]


def _constituents(span: Span) -> Iterator[Span]:
    data, place = _find(span)
    for below in _inside(data, place):
        yield span.doc[data["starts"][below] : data["ends"][below]]


def _children(span: Span) -> Iterator[Span]:
    data, place = _find(span)
    end = data["starts"][place]
    for below in _inside(data, place):
        if below > place and data["starts"][below] >= end:
            end = data["ends"][below]
            yield span.doc[data["starts"][below] : end]


def _parent(span: Span) -> Span | None:
    data, place = _find(span)
    first = span.sent.start
    for above in range(place - 1, -1, -1):
        if data["starts"][above] < first:
            return None
        if data["starts"][above] <= span.start and span.end <= data["ends"][above]:
            return span.doc[data["starts"][above] : data["ends"][above]]
    return None


def _word(token: Token) -> str:
    return "".join(_BRACKETS.get(letter, letter) for letter in token.text)


def _parse_string(span: Span) -> str:
    data, place = _find(span)
    # What is open: where it ends, and how many brackets close it.
    opened: list[tuple[int, int]] = []
    parts: list[str] = []

    def close_before(start: int) -> None:
        while opened and opened[-1][0] <= start:
            parts.append(")" * opened.pop()[1])

    for below in _inside(data, place):
        start, end, labels = data["starts"][below], data["ends"][below], data["labels"][below]
        close_before(start)
        parts.extend(f" ({label}" for label in labels)
        words = [index for index in range(start, end) if data["tags"][index]]
        if len(words) == 1 and (end - start == 1 or below == place):
            parts.append(f" ({data['tags'][words[0]]} {_word(span.doc[words[0]])})")
            parts.append(")" * len(labels))
            if below == place:
                break
        else:
            opened.append((end, len(labels)))
    close_before(span.end)
    return "".join(parts).lstrip()


def _of_token(get: Any) -> Any:
    """The same of a token, as of a span of one token."""
    return lambda token: get(token.doc[token.i : token.i + 1])


_EXTENSIONS = {
    "labels": _labels,
    "parse_string": _parse_string,
    "constituents": _constituents,
    "parent": _parent,
    "children": _children,
    "confidence": _confidence,
}


def _extend() -> None:
    if not Doc.has_extension("_constituent_data"):
        Doc.set_extension("_constituent_data", default=None)
    for name, get in _EXTENSIONS.items():
        if not Span.has_extension(name):
            Span.set_extension(name, getter=get)
        if not Token.has_extension(name):
            Token.set_extension(name, getter=_of_token(get))


_extend()


@Language.factory(
    "boughs",
    default_config={"model": None, "set_tags": False, "use_tags": False, "threads": None},
    assigns=["doc._._constituent_data", "span._.parse_string", "span._.labels", "token._.labels"],
)
def make_boughs(
    nlp: Language, name: str, model: str | None, set_tags: bool, use_tags: bool, threads: int | None
) -> BoughsComponent:
    """What ``nlp.add_pipe("boughs", config={...})`` makes."""
    return BoughsComponent(name, model=model, set_tags=set_tags, use_tags=use_tags, threads=threads)
