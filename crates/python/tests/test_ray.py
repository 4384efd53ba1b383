"""Corpora on a cluster: the same bytes for any number of workers, also if some are lost."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import ray

import boughs
import boughs.ray
from boughs.corpus import parse_shard, plan

SENTENCES = [f"The dog sees {number} cats. They run away!" for number in range(40)]


@pytest.fixture(scope="module")
def small() -> boughs.Parser:
    """A parser that is fast to load."""
    return boughs.train("pcfg", train=boughs.read("@sample/news"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Files of all kinds."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(SENTENCES[:10]), encoding="utf-8")
    rows = "".join(json.dumps({"text": text, "id": 3}) + "\n" for text in SENTENCES[10:20])
    (folder / "b.jsonl").write_text(rows, encoding="utf-8")
    with gzip.open(folder / "c.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(SENTENCES[20:30]))
    pd.DataFrame({"text": SENTENCES[30:]}).to_parquet(folder / "d.parquet")
    return folder


def written(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.iterdir()) if path.name != "manifest.json"}


def alone(corpus: Path, out: Path, parser: boughs.Parser, shards: int, **options: Any) -> dict[str, bytes]:
    """What one process makes of a corpus, without Ray."""
    out.mkdir()
    what = plan(str(corpus), shards, **options)
    for shard in range(shards):
        assert parse_shard(what, shard, parser, str(out)).error is None
    return written(out)


@pytest.mark.parametrize("unit", ["file", "line"])
@pytest.mark.parametrize("shards", [1, 3, 7])
def test_every_document_is_in_one_shard(
    corpus: Path, tmp_path: Path, small: boughs.Parser, unit: Any, shards: int
) -> None:
    parts = alone(corpus, tmp_path / "out", small, shards, unit=unit)
    assert len(parts) == shards
    records = [json.loads(line) for part in parts.values() for line in part.decode().splitlines()]
    expected = [sentence.text for text in SENTENCES for sentence in small(text)]
    assert [record["text"] for record in records] == expected
    tree = boughs.Tree.from_dict(records[0]["tree"])
    assert tree == small(SENTENCES[0])[0].tree and records[0]["document"].endswith("a.txt")


def test_workers_change_nothing(cluster: Any, corpus: Path, tmp_path: Path, small: boughs.Parser) -> None:
    expected = alone(corpus, tmp_path / "alone", small, 5)
    seen: list[int] = []
    manifest = boughs.ray.parse(
        str(corpus), str(tmp_path / "ray"), model=small, shards=5, on_shard=lambda result: seen.append(result.shard)
    )
    found = written(tmp_path / "ray")
    assert {name: found[name] for name in expected} == expected
    assert sorted(seen) == [0, 1, 2, 3, 4] and manifest.errors == [] and manifest.sentences == 80
    on_disk = json.loads((tmp_path / "ray/manifest.json").read_text())
    assert on_disk["fingerprint"] == manifest.fingerprint and len(on_disk["results"]) == 5


def test_only_what_is_missing_is_done(cluster: Any, corpus: Path, tmp_path: Path, small: boughs.Parser) -> None:
    out = tmp_path / "out"
    boughs.ray.parse(str(corpus), str(out), model=small, shards=4)
    before = written(out)
    (out / "part-00002-of-00004.jsonl.done").unlink()
    seen: list[int] = []
    manifest = boughs.ray.parse(
        str(corpus), str(out), model=small, shards=4, on_shard=lambda result: seen.append(result.shard)
    )
    assert seen == [1] and written(out) == before and len(manifest.results) == 4
    with pytest.raises(boughs.MismatchError, match="another input"):
        boughs.ray.parse(str(corpus), str(out), model=small, shards=5)


def test_a_bad_shard_does_not_stop_the_others(
    cluster: Any, corpus: Path, tmp_path: Path, small: boughs.Parser
) -> None:
    (corpus / "b.jsonl").write_bytes(b'{"text": "Fine."}\n{"txt": "no such column"}\n')
    (corpus / "c.txt").write_bytes(b"caf\xe9")
    files = [str(corpus / name) for name in ["a.txt", "b.jsonl", "c.txt", "d.parquet"]]
    out = tmp_path / "out"
    manifest = boughs.ray.parse(files, str(out), model=small, shards=200, unit="line")
    problems = " ".join(result.error or "" for result in manifest.errors)
    assert "no text in the column `text`" in problems and "is not UTF-8" in problems
    assert manifest.sentences >= 2 * 10 + 2 * 10 + 1
    assert not any("tmp" in name for name in written(out))
    # They are tried again, and then they are right.
    (corpus / "b.jsonl").write_bytes(b'{"text": "Fine."}\n{"text": "no such colum"}\n')
    (corpus / "c.txt").write_bytes(b"cafe")
    assert boughs.ray.parse(files, str(out), model=small, shards=200, unit="line").errors == []


def test_a_lost_worker_and_a_lost_host(cluster: Any, corpus: Path, tmp_path: Path, small: boughs.Parser) -> None:
    expected = alone(corpus, tmp_path / "alone", small, 12, unit="line")
    second = cluster.add_node(num_cpus=2)
    killed: list[int] = []

    def kill(result: boughs.ray.ShardResult) -> None:
        if len(killed) == 0:
            killed.append(kill_a_worker())
        elif len(killed) == 1:
            cluster.remove_node(second, allow_graceful=False)
            killed.append(0)

    out = tmp_path / "out"
    manifest = boughs.ray.parse(str(corpus), str(out), model=small, shards=12, unit="line", on_shard=kill)
    found = written(out)
    assert manifest.errors == [] and len(killed) == 2
    assert {name: found[name] for name in expected} == expected


def kill_a_worker() -> int:
    @ray.remote  # type: ignore[untyped-decorator]
    def process() -> int:
        return os.getpid()

    number: int = ray.get(process.remote())
    os.kill(number, signal.SIGKILL)
    return number


def test_the_command(cluster: Any, corpus: Path, tmp_path: Path, small: boughs.Parser) -> None:
    model, out = tmp_path / "small.model", tmp_path / "out"
    small.save(model)
    ray.shutdown()
    arguments = ["parse", str(corpus), "--out", str(out), "--model", str(model), "--shards", "2", "--to", "brackets"]
    try:
        assert boughs.ray.main([*arguments, "--address", cluster.address]) == 0
    finally:
        ray.shutdown()
        ray.init(address=cluster.address, log_to_driver=False)
    trees = (out / "part-00001-of-00002.mrg").read_text() + (out / "part-00002-of-00002.mrg").read_text()
    assert trees.count("\n") == 80 and str(small(SENTENCES[0])[0].tree) in trees


def test_what_cannot_be_planned(tmp_path: Path) -> None:
    with pytest.raises(boughs.ArgumentError, match="there is no file"):
        plan(str(tmp_path / "none"), 3)
    with pytest.raises(boughs.ArgumentError, match="at least one shard"):
        plan(str(tmp_path), 0)


def test_five_commands(corpus: Path, tmp_path: Path) -> None:
    """Those of docs/cluster.md, two hosts being two of Ray's nodes on this one."""
    manual = (Path(__file__).parents[3] / "docs/cluster.md").read_text(encoding="utf-8")
    block = manual.split("from an installed package to the trees:\n\n")[1].split("\n\n")[0]
    commands = [line.split("#")[0].strip() for line in block.splitlines()]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    commands = [line.replace("FIRST", "127.0.0.1").replace("6379", port) for line in commands]
    install, head, other, parse, join = commands
    assert install == 'pip install ".[ray]"' and find_spec("ray") and find_spec("fsspec")
    # Without what the clusters of other tests have left there, and without the token that Ray may keep at home.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment["HOME"] = str(tmp_path)
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    nodes = []
    try:
        for command in [head, other]:
            # As a program that stays, so that it is this one that ends; `ray stop` would end those of others.
            run = ["/bin/sh", "-c", f"exec {command} --block --num-cpus 1"]
            nodes.append(subprocess.Popen(run, env=environment, stdout=subprocess.DEVNULL, start_new_session=True))
            wait_for(port)
        command = parse + " --model @english-small --shards 4"
        ran = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        subprocess.run(join, shell=True, cwd=tmp_path, check=True)
    finally:
        for node in reversed(nodes):
            os.killpg(node.pid, signal.SIGTERM)
        for node in nodes:
            node.wait(60)
    records = [json.loads(line) for line in (tmp_path / "trees.jsonl").read_text().splitlines()]
    assert len(records) == 80


def test_dask_and_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipes of docs/cluster.md, Spark's without Spark."""
    manual = (Path(__file__).parents[3] / "docs/cluster.md").read_text(encoding="utf-8")
    blocks = manual.split("## Dask and Spark")[1].split("\n\n    ")
    dask = textwrap.dedent("    " + "\n\n    ".join(blocks[1:4]).split("\n\nWith Spark")[0])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus").mkdir()
    for number in range(2):
        part = pd.DataFrame({"text": SENTENCES[3 * number : 3 * number + 3]})
        part.to_parquet(f"corpus/{number}.parquet")
    names: dict[str, Any] = {}
    exec(dask, names)
    parser = boughs.load("@english-small")
    expected = ["\n".join(str(sentence.tree) for sentence in parser(text)) for text in SENTENCES[:6]]
    found = pd.read_parquet("trees")
    assert list(found["text"]) == SENTENCES[:6] and list(found["trees"]) == expected
    spark = textwrap.dedent("    " + blocks[4].split("\n\n")[0])
    exec(spark, names)
    parts = list(names["parse_parts"](iter([pd.DataFrame({"text": SENTENCES[:2]})])))
    assert list(parts[0]["trees"]) == expected[:2]


def wait_for(port: str) -> None:
    """Waits until something listens."""
    for _ in range(600):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("Ray did not start")
