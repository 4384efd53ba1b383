"""Corpora parsed and parsers trained on a Ray cluster; the same bytes on one host or on ten.

``boughs.ray.parse("corpus/*.txt", "trees", shards=64)`` writes a file for each shard, and ``manifest.json``. A second call
does what is missing. A shard that cannot be parsed is told, and does not stop the others; a shard whose worker or host is
lost is parsed again by another.

``boughs.ray.train("latent", train="trees.mrg", workers=8)`` trains as ``boughs.train`` does. Each worker makes the same run
with all of the trees, so that nothing but partial sums and their totals travels; the part of a worker that is lost is
computed by the process that called.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

import fsspec
import ray

from boughs._boughs import Follower, Parser, load
from boughs.corpus import Format, Plan, ShardResult, Unit, parse_shard, plan
from boughs.errors import ArgumentError, Error, MismatchError
from boughs.progress import Progress
from boughs.training import Method, Step, settings_of, some_trees, train_with
from boughs.treebanks import Path, Trees

__all__ = ["Manifest", "Traffic", "main", "parse", "train"]

#: Shards that wait for a free processor, for each processor: enough that none is idle, few enough that little is lost.
_WAITING = 2

#: How often a shard is parsed again after its worker was lost.
_RETRIES = 5

_MANIFEST = "manifest.json"

#: Seconds that the first worker has to start, and that others have after it.
_STARTING = 120
_STARTING_LATER = 20


@dataclass
class Manifest:
    """What was parsed, by what, and what came of it."""

    version: str
    model: str
    fingerprint: str
    plan: Plan
    results: list[ShardResult] = field(default_factory=list)

    @property
    def errors(self) -> list[ShardResult]:
        """The shards that could not be parsed."""
        return [result for result in self.results if result.error is not None]

    @property
    def sentences(self) -> int:
        """How many sentences there are in all shards."""
        return sum(result.sentences for result in self.results)

    def to_json(self) -> str:
        """What ``manifest.json`` has."""
        return json.dumps(asdict(self), indent=1) + "\n"


def parse(
    inputs: str | Sequence[str],
    out: str,
    *,
    model: str | Parser | None = None,
    shards: int = 64,
    unit: Unit = "file",
    column: str = "text",
    to: Format = "json",
    threads: int = 1,
    on_shard: Callable[[ShardResult], object] | None = None,
    progress: bool | None = None,
) -> Manifest:
    """Parses files, directories or patterns, local or at any address that fsspec knows, into a directory.

    ``unit`` says whether a file of text is a document or each of its lines is one; of JSON lines and Parquet files each row
    is one, whose text is in ``column``. The number of shards decides about the files that are written, not how many
    workers there are: that is up to the cluster, and ``threads`` is what each shard takes of it.
    """
    parser = model if isinstance(model, Parser) else load(model)
    pickled = pickle.dumps(parser)
    name = hashlib.blake2b(pickled, digest_size=16).hexdigest()
    what = plan(inputs, shards, unit=unit, column=column, to=to)
    manifest = Manifest(version("boughs"), name, what.fingerprint(name), what)
    store = _Store(_from_anywhere(out), manifest)
    manifest.results = store.done()
    with Progress(sys.stderr.isatty() if progress is None else progress) as shown:
        for result in _run(store, pickled, threads, shown):
            manifest.results.append(result)
            if on_shard is not None:
                on_shard(result)
    manifest.results.sort(key=lambda result: result.shard)
    store.write(_MANIFEST, manifest.to_json())
    return manifest


def _from_anywhere(address: str) -> str:
    """A path as workers know it, which run in directories of their own."""
    return address if "://" in address else os.path.abspath(address)


class _Store:
    """The directory of a run: a record for each shard that is done."""

    def __init__(self, out: str, manifest: Manifest) -> None:
        self.out, self.manifest = out.rstrip("/"), manifest
        self._system, self._path = fsspec.core.url_to_fs(self.out)
        self._system.makedirs(self._path, exist_ok=True)
        run = {"fingerprint": manifest.fingerprint}
        found = self._read("run.json")
        if found is not None and found != run:
            raise MismatchError(
                f"{out} holds parses of another input, by another parser or in other shards",
                hint="name another directory, or remove it",
            )
        self.write("run.json", json.dumps(run))

    def _read(self, name: str) -> Any:
        path = f"{self._path}/{name}"
        return json.loads(self._system.cat_file(path)) if self._system.isfile(path) else None

    def write(self, name: str, text: str) -> None:
        """Writes a file at once."""
        temporary = f"{self._path}/{name}.tmp"
        self._system.pipe_file(temporary, text.encode())
        self._system.mv(temporary, f"{self._path}/{name}")

    def _record(self, shard: int) -> str:
        return f"{self.manifest.plan.name(shard)}.done"

    def done(self) -> list[ShardResult]:
        """The shards that need not be parsed again: a record comes after its file."""
        records = (self._read(self._record(shard)) for shard in range(len(self.manifest.plan.shards)))
        return [ShardResult(**record) for record in records if record is not None]

    def finish(self, result: ShardResult) -> None:
        """Notes that a shard is done. One that failed is tried again by the next run."""
        if result.error is None:
            self.write(self._record(result.shard), json.dumps(asdict(result)))


#: The parser that this worker used last: tasks come one after the other, nearly all with the same.
_last: tuple[str, Parser] | None = None


def _task(what: Plan, shard: int, name: str, pickled: bytes, out: str, threads: int) -> ShardResult:
    """Runs in a worker."""
    global _last
    if _last is None or _last[0] != name:
        _last = name, pickle.loads(pickled)
    return parse_shard(what, shard, _last[1], out, threads=threads)


def _run(store: _Store, pickled: bytes, threads: int, shown: Progress) -> Any:
    """Has the shards parsed that are not done, a bounded number at a time, and gives what came of each."""
    if threads < 1:
        raise ArgumentError(f"expected at least one thread for a shard, found {threads}")
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    manifest = store.manifest
    is_done = {result.shard for result in manifest.results}
    waiting = [shard for shard in range(len(manifest.plan.shards)) if shard not in is_done]
    waiting.reverse()
    model = ray.put(pickled)
    task = ray.remote(num_cpus=threads, max_retries=_RETRIES)(_task)
    running: dict[Any, int] = {}
    start, sentences, total = time.monotonic(), 0, len(waiting)
    for number in range(total):
        processors = int(ray.cluster_resources().get("CPU", 1))  # type: ignore[no-untyped-call]
        most = _WAITING * max(1, processors // threads)
        while waiting and len(running) < most:
            shard = waiting.pop()
            arguments = (manifest.plan, shard, manifest.model, model, store.out, threads)
            running[task.remote(*arguments)] = shard
        (ready,), _ = ray.wait(list(running), num_returns=1)
        shard = running.pop(ready)
        try:
            result: ShardResult = ray.get(ready)
        except ray.exceptions.RayError as error:
            result = ShardResult(shard, error=f"{type(error).__name__}: {error}".splitlines()[0])
        store.finish(result)
        sentences += result.sentences
        seconds = time.monotonic() - start
        left = seconds / (number + 1) * (total - number - 1)
        shown.tell((number + 1) / total, f"{number + 1} of {total} shards, {sentences / seconds:.0f} sentences/s, {left:.0f} s left")
        if result.error is not None:
            shown.note(f"shard {shard + 1}: {result.error}")
        yield result


@dataclass
class Traffic:
    """What went between the processes of a training run, and what became of workers."""

    sums: int = 0
    #: Partial sums, from workers.
    partial_bytes: int = 0
    #: Totals, each of which goes to all workers.
    total_bytes: int = 0
    started: int = 0
    lost: int = 0


def train(
    method: Method = "recommended",
    *,
    train: Trees,
    dev: Trees | None = None,
    workers: int | None = None,
    threads: int = 1,
    out: Path | None = None,
    on_step: Callable[[Step], object] | None = None,
    resume: bool = False,
    progress: bool = True,
    traffic: Traffic | None = None,
    name: str = "",
    version: str = "",
    note: str = "",
    **settings: Any,
) -> Parser:
    """Trains a parser as ``boughs.train`` does, with workers of a Ray cluster, to the same bytes.

    Args:
        workers: How many processes compute, beside this one, which adds up; without it, as many as the cluster has
            processors for.
        threads: What each takes of the cluster. This process has as many threads, which measure parsers and compute the
            part of a worker that is lost.
        traffic: Is told what went between the processes.
        method, train, dev, out, on_step, resume, progress, name, version, note, settings: As those of ``boughs.train``. A
            checkpoint is that of one machine: either can go on with it.
    """
    if threads < 1 or (workers is not None and workers < 1):
        raise ArgumentError("expected at least one worker with at least one thread")
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    gold = some_trees(train, "train")
    held_out = None if dev is None else some_trees(dev, "dev")
    wanted = settings_of(settings)
    data = ray.put((method, gold, held_out, wanted))
    processors = int(ray.cluster_resources().get("CPU", 1))  # type: ignore[no-untyped-call]
    team = _Team(data, max(1, processors // threads) if workers is None else workers, threads, traffic or Traffic())
    try:
        return train_with(
            team,
            method,
            gold,
            held_out,
            out=out,
            on_step=on_step,
            resume=resume,
            threads=threads,
            progress=progress,
            name=name,
            version=version,
            note=note,
            settings=wanted,
        )
    finally:
        team.end()


class _Worker:
    """A process that follows a run, as an actor: it has the data and what follows from them."""

    def __init__(self, data: Any, checkpoint: bytes, threads: int) -> None:
        method, gold, held_out, settings = data
        # The run reads it when it starts, and nothing else does. Before the first step there is none.
        self._directory = tempfile.TemporaryDirectory()
        path = os.path.join(self._directory.name, "checkpoint")
        if checkpoint:
            with open(path, "wb") as file:
                file.write(checkpoint)
        self._run = Follower(method, gold, held_out, settings, threads, path)

    def process(self) -> int:
        """Says that it is there."""
        return os.getpid()

    def compute(self, part: int, parts: int, *totals: bytes) -> bytes:
        """Goes on with the totals that it has not had, and computes a part of the next sum."""
        return self._run.compute(list(totals), part, parts)


class _Team:
    """The workers of a run, as the run wants them."""

    def __init__(self, data: Any, wanted: int, threads: int, traffic: Traffic) -> None:
        self._data, self._wanted, self._threads = data, wanted, threads
        self._traffic = traffic
        #: Each with the totals that it has not had.
        self._workers: list[tuple[Any, list[Any]]] = []
        self._asked: list[Any] = []

    def num_missing(self) -> int:
        """How many workers could join."""
        return self._wanted - len(self._workers)

    def admit(self, checkpoint: bytes) -> None:
        """Starts workers: as many as are wanted at first, later as there are processors for; others come after another step."""
        number = self.num_missing()
        if self._workers:
            free = ray.available_resources().get("CPU", 0.0)  # type: ignore[no-untyped-call]
            number = min(number, int(free // self._threads))
        stored = ray.put(checkpoint)
        actor: Any = ray.remote(num_cpus=self._threads, max_restarts=0)(_Worker)
        new: list[Any] = [actor.remote(self._data, stored, self._threads) for _ in range(number)]
        there = {worker.process.remote(): worker for worker in new}
        if new and not self._workers:
            ray.wait(list(there), num_returns=1, timeout=_STARTING)
        ready, late = ray.wait(list(there), num_returns=number, timeout=_STARTING_LATER) if new else ([], [])
        for reference in late:
            ray.kill(there[reference])
        for reference in ready:
            ray.get(reference)
            self._workers.append((there[reference], []))
            self._traffic.started += 1
        if not self._workers:
            raise Error(f"no worker has started in {_STARTING} seconds", hint="see with `ray status` what is free")

    def ask(self) -> int:
        """Asks each worker for its part of the next sum."""
        parts = len(self._workers)
        self._asked = [
            worker.compute.remote(part, parts, *totals) for part, (worker, totals) in enumerate(self._workers)
        ]
        for _, totals in self._workers:
            totals.clear()
        self._traffic.sums += 1
        return parts

    def answer(self, part: int) -> bytes | None:
        """What came of a part, unless its worker is lost; what a worker could not do is raised."""
        try:
            answer: bytes = ray.get(self._asked[part])
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError, ray.exceptions.NodeDiedError):
            self._asked[part] = None
            return None
        self._traffic.partial_bytes += len(answer)
        return answer

    def spread(self, total: bytes) -> None:
        """Keeps a total until workers are asked again; those that were lost are left out."""
        if self._asked:
            self._traffic.lost += self._asked.count(None)
            self._workers = [worker for worker, asked in zip(self._workers, self._asked) if asked is not None]
            self._asked = []
        if self._workers:
            self._traffic.total_bytes += len(total)
            stored = ray.put(total)
            for _, totals in self._workers:
                totals.append(stored)

    def end(self) -> None:
        """Ends all workers."""
        for worker, _ in self._workers:
            ray.kill(worker)
        self._workers = []


def main(args: Sequence[str] | None = None) -> int:
    """The command ``boughs-ray``."""
    program = argparse.ArgumentParser(prog="boughs-ray", description="Parse corpora on a Ray cluster.")
    verbs = program.add_subparsers(required=True)
    verb = verbs.add_parser("parse", help="parse files, directories or patterns into a directory")
    verb.add_argument("inputs", nargs="+", help="files (text, .jsonl, .parquet; .gz), directories, patterns; any address that fsspec knows")
    verb.add_argument("--out", required=True, help="the directory to write to; what is done there is not done again")
    verb.add_argument("--model", help="a model file, @english or @english-small [default: @english]")
    verb.add_argument("--shards", type=int, default=64, help="how many files to write [default: 64]")
    verb.add_argument("--unit", choices=["file", "line"], default="file", help="what a document is in a file of text [default: file]")
    verb.add_argument("--column", default="text", help="the column of JSON lines and Parquet files [default: text]")
    verb.add_argument("--to", choices=["json", "brackets"], default="json", help="what to write [default: json]")
    verb.add_argument("--threads", type=int, default=1, help="threads of a shard [default: 1]")
    verb.add_argument("--address", help="the cluster, as `ray start` tells; without it, the one that is there, or this machine")
    given = program.parse_args(args)
    ray.init(address=given.address, log_to_driver=False)
    options = {name: value for name, value in vars(given).items() if name not in ("address", "inputs", "out")}
    manifest = parse(given.inputs, given.out, **options)
    for result in manifest.errors:
        print(f"boughs-ray: shard {result.shard + 1}: {result.error}", file=sys.stderr)
    print(f"boughs-ray: {manifest.sentences} sentences in {len(manifest.results)} shards", file=sys.stderr)
    return 1 if manifest.errors else 0
