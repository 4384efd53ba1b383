"""Constituency parsing with models inside: no Java, no GPU, no download.

>>> import boughs
>>> parser = boughs.load()
>>> for sentence in parser("The old man sleeps in the garden. He doesn't snore."):
...     print(sentence.tree)
(TOP (S (NP (DT The) (JJ old) (NN man)) (VP (VBZ sleeps) (PP (IN in) (NP (DT the) (NN garden)))) (. .)))
(TOP (S (NP (PRP He)) (VP (VBZ does) (RB n't) (VP (VB snore))) (. .)))
"""

from __future__ import annotations

from boughs._boughs import Document, Parser, Phrase, Sentence, Stream, Token, Tree, load
from boughs.errors import (
    ArgumentError,
    DiscontinuousError,
    EncodingError,
    Error,
    FileError,
    FormatError,
    MismatchError,
    NumericError,
    TooLargeError,
)
from boughs.explanations import ExplainedStep, Explanation
from boughs.scores import Comparison, Difference, Evaluation, LabelScores, compare, evaluate
from boughs.service import Service, serve
from boughs.training import Step, train
from boughs.treebanks import clean, read, write

__all__ = [
    "ArgumentError",
    "Comparison",
    "Difference",
    "DiscontinuousError",
    "Document",
    "EncodingError",
    "Error",
    "Evaluation",
    "ExplainedStep",
    "Explanation",
    "FileError",
    "FormatError",
    "LabelScores",
    "MismatchError",
    "NumericError",
    "Parser",
    "Phrase",
    "Sentence",
    "Service",
    "Step",
    "Stream",
    "Token",
    "TooLargeError",
    "Tree",
    "clean",
    "compare",
    "evaluate",
    "load",
    "read",
    "serve",
    "train",
    "write",
]
