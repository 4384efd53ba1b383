"""Large corpora in shards: a plan that follows from the input alone, and the parsing of one shard.

Nothing here knows who runs the shards: :mod:`boughs.ray` does it on a cluster. What a shard gives depends on the plan and
the parser, not on who parses it or when, so any number of workers writes the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Literal

import fsspec

from boughs._boughs import Document, Parser, Stream
from boughs.errors import ArgumentError, EncodingError, Error, FormatError

__all__ = ["Piece", "Plan", "ShardResult", "parse_shard", "plan"]

#: What a document is: a whole file, or each line of it. Rows of JSON lines and Parquet files are documents.
Unit = Literal["file", "line"]

#: What is written of a sentence: a line of JSON, or its tree in brackets.
Format = Literal["json", "brackets"]

#: A file that is a single document is read whole, so it must not be larger.
_LARGEST_DOCUMENT = 256 << 20


@dataclass(frozen=True)
class Piece:
    """A part of a file: the lines whose first byte is in it, or all of the file if it has no end."""

    path: str
    start: int = 0
    end: int | None = None


@dataclass(frozen=True)
class Plan:
    """Which pieces are parsed together."""

    shards: tuple[tuple[Piece, ...], ...]
    unit: Unit
    column: str
    to: Format

    def name(self, shard: int) -> str:
        """The name of the file that a shard is written to."""
        ending = "jsonl" if self.to == "json" else "mrg"
        return f"part-{shard + 1:05}-of-{len(self.shards):05}.{ending}"

    def fingerprint(self, parser: str) -> str:
        """What the output depends on, as a short name."""
        return hashlib.blake2b(json.dumps([asdict(self), parser]).encode(), digest_size=16).hexdigest()


@dataclass
class ShardResult:
    """What came of a shard."""

    shard: int
    #: Why it could not be parsed; its file is then not there.
    error: str | None = None
    documents: int = 0
    sentences: int = 0
    #: Sentences whose tree is not a parse by the model.
    fallbacks: int = 0
    bytes: int = 0
    #: The checksum of what was read.
    input: str = ""
    #: The checksum of what was written.
    output: str = ""


def plan(
    inputs: str | Sequence[str],
    shards: int,
    *,
    unit: Unit = "file",
    column: str = "text",
    to: Format = "json",
) -> Plan:
    """Cuts files, directories and patterns into so many shards of about the same size.

    JSON lines (``.jsonl``, ``.ndjson``) and files of ``unit="line"`` are cut between lines; compressed files (``.gz``),
    Parquet files and files of ``unit="file"`` are not cut.
    """
    if shards < 1:
        raise ArgumentError(f"expected at least one shard, found {shards}")
    if unit not in ("file", "line") or to not in ("json", "brackets"):
        raise ArgumentError(f"expected unit `file` or `line` and to `json` or `brackets`, found `{unit}` and `{to}`")
    files = _files([inputs] if isinstance(inputs, str) else inputs)
    total = sum(size for _, size in files)
    target = max(1, -(-total // shards))
    pieces: list[list[Piece]] = [[] for _ in range(shards)]
    position = 0
    for path, size in files:
        if _is_cut(path, unit):
            for start, end in _ranges(position, size, target):
                pieces[min((position + start) // target, shards - 1)].append(Piece(path, start, end))
        else:
            if _kind(path) == "text" and size > _LARGEST_DOCUMENT:
                raise ArgumentError(
                    f"{path} is a document of {size} bytes, which is more than fits into memory",
                    hint='cut it, or say unit="line" if each of its lines is a document',
                )
            pieces[min(position // target, shards - 1)].append(Piece(path))
        position += size
    return Plan(tuple(tuple(piece) for piece in pieces), unit, column, to)


def _ranges(position: int, size: int, target: int) -> Iterator[tuple[int, int]]:
    """The parts of a file that begins here, cut where shards end."""
    start = 0
    while start < size:
        end = min(size, ((position + start) // target + 1) * target - position)
        yield start, end
        start = end


def _files(inputs: Sequence[str]) -> list[tuple[str, int]]:
    """All files, with their sizes, in the order of the inputs; those of a directory or pattern by their names."""
    found: list[tuple[str, int]] = []
    for name in inputs:
        system, path = fsspec.core.url_to_fs(name)
        if system.isdir(path):
            paths = sorted(system.find(path))
        elif any(mark in path for mark in "*?["):
            paths = sorted(system.glob(path))
        else:
            paths = [path]
        existing = [(system.unstrip_protocol(one), system.size(one)) for one in paths if system.isfile(one)]
        if not existing:
            raise ArgumentError(f"there is no file `{name}`", hint="name files, directories or patterns")
        found.extend((path.removeprefix("file://"), size or 0) for path, size in existing)
    return found


def _kind(path: str) -> Literal["text", "json", "parquet"]:
    name = path.removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        return "json"
    return "parquet" if name.endswith(".parquet") else "text"


def _is_cut(path: str, unit: Unit) -> bool:
    kind = _kind(path)
    return not path.endswith(".gz") and (kind == "json" or (kind == "text" and unit == "line"))


class _Input:
    """The documents of a shard, and the checksum of the bytes that they came from."""

    def __init__(self, plan: Plan, pieces: Iterable[Piece]) -> None:
        self._plan = plan
        self._pieces = pieces
        self._hash = hashlib.blake2b(digest_size=16)
        #: Where the documents came from that were handed out and have not come back.
        self.places: deque[tuple[str, int]] = deque()
        self.documents = 0

    @property
    def checksum(self) -> str:
        return self._hash.hexdigest()

    def texts(self) -> Iterator[str]:
        """The text of each document."""
        for piece in self._pieces:
            for number, text in self._of_piece(piece):
                self.places.append((piece.path, number))
                self.documents += 1
                yield text

    def _of_piece(self, piece: Piece) -> Iterator[tuple[int, str]]:
        """Documents with their places: the first byte of a line, the number of a row, 0 for a file."""
        kind = _kind(piece.path)
        with fsspec.open(piece.path, "rb") as raw:
            if kind == "parquet":
                yield from self._rows(piece, raw)
                return
            file: BinaryIO = gzip.open(raw) if piece.path.endswith(".gz") else raw  # type: ignore[assignment]
            if kind == "text" and self._plan.unit == "file":
                yield 0, self._decoded(piece, 0, file.read())
                return
            for start, line in _lines(file, piece):
                text = self._decoded(piece, start, line)
                if kind == "json":
                    text = self._of_json(piece, start, text)
                if text.strip():
                    yield start, text

    def _decoded(self, piece: Piece, start: int, raw: bytes) -> str:
        self._hash.update(raw)
        try:
            return raw.decode("utf-8-sig" if start == 0 else "utf-8")
        except UnicodeDecodeError as error:
            place = start + error.start
            raise EncodingError(f"{piece.path}: byte {place} is not UTF-8", file=piece.path) from None

    def _of_json(self, piece: Piece, start: int, line: str) -> str:
        if not line.strip():
            return ""
        try:
            text = json.loads(line)[self._plan.column]
        except (ValueError, KeyError, TypeError):
            text = None
        if not isinstance(text, str):
            message = f"{piece.path}: the line at byte {start} has no text in the column `{self._plan.column}`"
            raise FormatError(message, hint="name another column", file=piece.path)
        return text

    def _rows(self, piece: Piece, raw: BinaryIO) -> Iterator[tuple[int, str]]:
        import pyarrow.parquet

        table = pyarrow.parquet.ParquetFile(raw)
        if self._plan.column not in table.schema_arrow.names:
            raise FormatError(
                f"{piece.path}: there is no column `{self._plan.column}`",
                hint=f"it has {', '.join(table.schema_arrow.names)}",
                file=piece.path,
            )
        number = 0
        for batch in table.iter_batches(columns=[self._plan.column]):
            for text in batch.column(0).to_pylist():
                self._hash.update((text or "").encode())
                if text and text.strip():
                    yield number, text
                number += 1


def _lines(file: BinaryIO, piece: Piece) -> Iterator[tuple[int, bytes]]:
    """The lines whose first byte is in a piece, with that byte's place."""
    place = piece.start
    if place > 0:
        # The line that begins before belongs to the piece before, unless it ends right here.
        file.seek(place - 1)
        place += len(file.readline()) - 1
    for line in file:
        if piece.end is not None and place >= piece.end:
            return
        yield place, line
        place += len(line)


class _Output:
    """A file that has its name once it is complete, with the checksum of what is in it."""

    def __init__(self, path: str) -> None:
        self._system, self._path = fsspec.core.url_to_fs(path)
        self._temporary = self._path + ".tmp"
        self._hash = hashlib.blake2b(digest_size=16)
        self.bytes = 0

    def __enter__(self) -> _Output:
        self._file = self._system.open(self._temporary, "wb")
        return self

    def write(self, text: str) -> None:
        raw = text.encode("utf-8", "surrogatepass")
        self._hash.update(raw)
        self.bytes += len(raw)
        self._file.write(raw)

    @property
    def checksum(self) -> str:
        return self._hash.hexdigest()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._file.close()
        if kind is None:
            self._system.mv(self._temporary, self._path)
        else:
            self._system.rm(self._temporary)


def parse_shard(plan: Plan, shard: int, parser: Parser, out: str, *, threads: int = 1) -> ShardResult:
    """Parses a shard into a file below a directory. What is wrong with its input is told in the result."""
    source = _Input(plan, plan.shards[shard])
    result = ShardResult(shard)
    try:
        with _Output(f"{out}/{plan.name(shard)}") as output:
            unit = "text" if plan.unit == "file" else "paragraphs"
            parsed: Stream[Document] = parser.pipe(source.texts(), unit=unit, threads=threads)  # type: ignore[arg-type]
            for document in parsed:
                output.write(_written(plan, source.places.popleft(), document, result))
    except (Error, OSError) as error:
        return ShardResult(shard, error=str(error))
    result.documents, result.bytes = source.documents, output.bytes
    result.input, result.output = source.checksum, output.checksum
    return result


def _written(plan: Plan, place: tuple[str, int], document: Document, result: ShardResult) -> str:
    out = io.StringIO()
    for number, sentence in enumerate(document):
        result.sentences += 1
        result.fallbacks += sentence.is_fallback
        if plan.to == "brackets":
            out.write(f"{sentence.tree}\n")
            continue
        record: dict[str, Any] = {"document": place[0], "place": place[1], "sentence": number + 1}
        record |= {"status": sentence.status, "text": sentence.text, "tree": sentence.tree.to_dict()}
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return out.getvalue()
