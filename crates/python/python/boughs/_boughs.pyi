from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final

from nltk.tree import Tree as NltkTree
from typing_extensions import Self

from boughs.errors import Error
from boughs.explanations import Explanation

_T = TypeVar("_T", Document, Sentence)
_Path: TypeAlias = str | PathLike[str]

#: What line breaks in a text mean.
_Unit: TypeAlias = Literal["text", "wrapped", "paragraphs", "lines"]

#: A sentence to parse: its text, its words, its words with tags, or a tree, whose words are parsed anew.
_Sentence: TypeAlias = str | Iterable[str] | Iterable[tuple[str, str]] | Tree

#: How a tree was found; everything but "fallback", "in-parts" and "too-long" is a parse by the model.
Status: TypeAlias = Literal[
    "trivial", "optimal", "pruned", "greedy", "cut-short", "fallback", "in-parts", "too-long", "constraints-unmet"
]

def main(args: list[str]) -> int: ...
def split(text: str) -> list[tuple[int, int]]: ...
def read_trees(
    paths: list[_Path],
    format: str | None,
    encoding: str,
    attach_discontinuous: bool,
    on_error: Callable[[Error], object] | None,
) -> list[Tree]: ...
def clean_trees(trees: list[Tree], steps: str) -> list[Tree]: ...
def write_trees(trees: list[Tree]) -> str: ...
def evaluate_trees(gold: list[Tree], test: list[Tree | None], settings: str) -> dict[str, Any]: ...
def compare_trees(
    gold: list[Tree],
    a: list[Tree | None],
    b: list[Tree | None],
    settings: str,
    trials: int,
    samples: int,
    confidence: float,
    seed: int,
    threads: int | None,
) -> dict[str, Any]: ...
def train_parser(
    method: str,
    train: list[Tree],
    dev: list[Tree] | None,
    request: dict[str, Any],
    on_report: Callable[[dict[str, Any]], object],
) -> Parser: ...
@final
class Follower:
    def __new__(
        cls,
        method: str,
        train: list[Tree],
        dev: list[Tree] | None,
        settings: dict[str, Any],
        threads: int | None,
        checkpoint: str,
    ) -> Self: ...
    def compute(self, totals: list[bytes], part: int, num_parts: int) -> bytes: ...

def fit_classifier(
    train: dict[str, Any],
    dev: dict[str, Any] | None,
    num_features: int,
    num_labels: int,
    settings: dict[str, Any],
    threads: int | None,
    on_report: Callable[[dict[str, Any]], object],
) -> Classifier: ...
def load(model: _Path | None = None, **options: Any) -> Parser: ...

@final
class Parser:
    """A parser: call it with a text. It never changes, and threads and processes may share it."""

    @property
    def options(self) -> dict[str, Any]:
        """How it parses. What there is depends on the kind of parser; `with_options` changes it."""
    @property
    def about(self) -> dict[str, Any]:
        """What is known about the model: its name, its data, how it was trained."""
    @property
    def tags(self) -> list[str]:
        """The parts of speech that it knows."""
    def __call__(
        self, text: str, *, unit: _Unit = "text", n_best: int | None = None, threads: int | None = None
    ) -> Document:
        """Splits a text into sentences and parses them.

        `unit` says what line breaks mean: by default their places tell; in "wrapped" text they are blanks, in "paragraphs"
        each ends a sentence, and of "lines" each is a sentence.
        """
    def parse_tokens(
        self,
        words: Iterable[str],
        tags: Iterable[str] | None = None,
        *,
        n_best: int | None = None,
        phrases: list[tuple[str | None, int, int]] | None = None,
        root: str | None = None,
    ) -> Sentence:
        """Parses one sentence of words. An empty tag is for the parser to find.

        `phrases` must be in the tree, each a label (or None for any) and the words from start to end; `root` is the
        label of the whole sentence. If there is no such tree, the status is "constraints-unmet".
        """
    def stream(
        self,
        lines: Iterable[_Sentence],
        *,
        n_best: int | None = None,
        threads: int | None = None,
    ) -> Stream[Sentence]:
        """Parses one sentence after the other, each a text, its words, its words with tags, or a tree.

        Sentences come out in order, as they are asked for; memory does not grow with their number. An item that cannot
        be parsed raises in its place, and the next call goes on behind it.
        """
    def pipe(
        self,
        texts: Iterable[str],
        *,
        unit: _Unit = "text",
        n_best: int | None = None,
        threads: int | None = None,
    ) -> Stream[Document]:
        """Parses one text after the other, each of any number of sentences."""
    def explain(
        self, sentence: _Sentence, *, alternatives: int = 2
    ) -> Explanation:
        """Why the best tree of a sentence is the best: the steps to it, with alternatives and reasons."""
    def _explain(
        self, sentence: _Sentence, *, alternatives: int = 2
    ) -> list[dict[str, Any]]: ...
    def with_options(self, **changes: Any) -> Parser:
        """The same parser with other options."""
    def save(self, path: _Path) -> None:
        """Writes a model file, whole or not at all."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Stream(Generic[_T]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...

@final
class Document:
    """A text and its sentences."""

    @property
    def text(self) -> str: ...
    @property
    def sentences(self) -> list[Sentence]: ...
    def to_frame(self, backend: Literal["pandas", "polars"] = "pandas") -> Any:
        """A table with a row for each phrase."""
    def _repr_html_(self) -> str: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Sentence: ...
    def __iter__(self) -> Iterator[Sentence]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    __hash__: None  # type: ignore[assignment]

@final
class Sentence:
    """A sentence and its trees."""

    @property
    def text(self) -> str: ...
    @property
    def tree(self) -> Tree:
        """The best tree."""
    @property
    def trees(self) -> list[Tree]:
        """All trees that were asked for, the best first."""
    @property
    def score(self) -> float | None:
        """How good the best tree is, in the parser's own measure; larger is better. None for a fallback."""
    @property
    def scores(self) -> list[float | None]: ...
    @property
    def status(self) -> Status:
        """How the trees were found."""
    @property
    def is_fallback(self) -> bool:
        """Whether the tree is not a parse by the model."""
    @property
    def unmet(self) -> str | None:
        """Why the tree does not keep to what was asked of it, if it does not."""
    @property
    def words(self) -> list[str]: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def start_char(self) -> int | None:
        """Its first character in the text, if it was taken from one."""
    @property
    def end_char(self) -> int | None: ...
    @property
    def start_byte(self) -> int | None:
        """Its first byte in the text as UTF-8."""
    @property
    def end_byte(self) -> int | None: ...
    def _repr_svg_(self) -> str: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    __hash__: None  # type: ignore[assignment]

@final
class Tree:
    """A constituency tree. It never changes. `str(tree)` is the tree in brackets, `Tree(text)` reads it."""

    def __new__(cls, brackets: str) -> Self: ...
    @classmethod
    def from_json(cls, line: str) -> Tree: ...
    @classmethod
    def from_dict(cls, tree: dict[str, Any]) -> Tree: ...
    @classmethod
    def from_nltk(cls, tree: NltkTree) -> Tree: ...
    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_nltk(self) -> NltkTree: ...
    @property
    def words(self) -> list[str]:
        """All words, traces of treebanks included."""
    @property
    def tags(self) -> list[str]: ...
    @property
    def tokens(self) -> list[Token]: ...
    @property
    def phrases(self) -> list[Phrase]:
        """All phrases, parents before children, from left to right."""
    @property
    def root(self) -> Phrase | None:
        """The phrase over the whole sentence; none for an empty tree and for a bare token."""
    @property
    def label(self) -> str | None:
        """The label of the root."""
    @property
    def text(self) -> str: ...
    def find(self, label: str) -> list[Phrase]:
        """The phrases with a label, with or without function tags: `find("NP")` also finds NP-SBJ."""
    def search(self, pattern: str) -> list[Phrase | Token]:
        """The nodes that a pattern of TGrep2 or Tregex fits, as `NP < PP`: phrases, then tokens for tags and words."""
    def pretty(self) -> str:
        """The tree in brackets over several lines."""
    def draw(self, max_width: int = 100, *, ascii: bool = False) -> str:
        """The tree as a picture of characters."""
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def latex(self) -> str:
        """The tree for LaTeX's package forest."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Phrase:
    """A phrase of a tree: its words are those from `start` to `end`, which is not included."""

    @property
    def label(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def start_char(self) -> int | None:
        """Its first character in the text, if the sentence was taken from one."""
    @property
    def end_char(self) -> int | None: ...
    @property
    def start_byte(self) -> int | None: ...
    @property
    def end_byte(self) -> int | None: ...
    @property
    def text(self) -> str:
        """The phrase as it stands in the text, or its words with blanks between them."""
    @property
    def words(self) -> list[str]: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def tokens(self) -> list[Token]: ...
    @property
    def confidence(self) -> float | None:
        """How likely it is that the phrase is right, by the model."""
    @property
    def head(self) -> Token:
        """The word that the phrase is about, by the rules of Collins."""
    @property
    def depth(self) -> int:
        """The number of phrases above it."""
    @property
    def parent(self) -> Phrase | None: ...
    @property
    def children(self) -> list[Phrase | Token]: ...
    def find(self, label: str) -> list[Phrase]:
        """The phrases below this one with a label."""
    def subtree(self) -> Tree:
        """This phrase and everything below it as a tree."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Token:
    """A word of a tree, with its tag and its place. `str(token)` is the word."""

    @property
    def index(self) -> int: ...
    @property
    def word(self) -> str: ...
    @property
    def tag(self) -> str: ...
    @property
    def start_char(self) -> int | None: ...
    @property
    def end_char(self) -> int | None: ...
    @property
    def start_byte(self) -> int | None: ...
    @property
    def end_byte(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Classifier:
    """A boosted classifier whose labels and features are numbers; `boughs.learn` has names for them."""

    def predict(self, rows: dict[str, Any], probabilities: bool, threads: int | None) -> bytes: ...
    def explain(self, row: list[int], label: int) -> list[tuple[list[tuple[int, bool]], float]]: ...
    def penalties(self) -> list[list[float]]: ...
    def active(self) -> list[list[int]]: ...
    def at(self, penalty: float) -> Classifier: ...
    def save(self, path: _Path) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
