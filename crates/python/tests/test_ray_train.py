"""Parsers trained on a cluster: the same bytes as in one process, also if workers or hosts are lost."""

from __future__ import annotations

import functools
import json
import os
import signal
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray

import boughs
import boughs.ray
from boughs.ray import Traffic

#: Settings that take seconds; neural training also needs an encoder.
SETTINGS: dict[str, dict[str, Any]] = {
    "latent": {"max_rounds": 2, "split_iterations": 4, "merge_iterations": 2, "smooth_iterations": 2},
    "conditional": {"max_splits": 1, "max_iterations": 3},
    "crf": {"max_epochs": 2},
    "boosted": {"first_penalty": 20.0, "max_active": 300, "folds": 2},
    "neural": {"epochs": 2, "batch": 16, "hidden": 24},
}


def sample(method: str) -> tuple[list[boughs.Tree], list[boughs.Tree]]:
    """Few trees, so that each method takes seconds."""
    train, dev = boughs.read("@sample/howto"), boughs.read("@sample/news")[:10]
    return (train if method == "latent" else train[:20]), dev


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny encoder that nobody has trained."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *".,\"(", *letters, *(f"##{letter}" for letter in letters)]
    hidden, inner, layers, positions = 16, 24, 2, 64
    shapes = {
        "embeddings.word_embeddings.weight": [len(pieces), hidden],
        "embeddings.position_embeddings.weight": [positions, hidden],
        "embeddings.token_type_embeddings.weight": [2, hidden],
    }
    linear = {"intermediate.dense": (inner, hidden), "output.dense": (hidden, inner)}
    linear |= {f"attention.{part}": (hidden, hidden) for part in ["self.query", "self.key", "self.value", "output.dense"]}
    norms = ["embeddings.LayerNorm"]
    for layer in range(layers):
        norms += [f"encoder.layer.{layer}.{part}.LayerNorm" for part in ["attention.output", "output"]]
        for part, (rows, columns) in linear.items():
            shapes[f"encoder.layer.{layer}.{part}.weight"] = [rows, columns]
            shapes[f"encoder.layer.{layer}.{part}.bias"] = [rows]
    for norm in norms:
        shapes |= {f"{norm}.weight": [hidden], f"{norm}.bias": [hidden]}
    random = np.random.default_rng(1)
    header: dict[str, Any] = {}
    data = b""
    for name, shape in shapes.items():
        values = random.normal(0, 0.1, shape) + name.endswith("LayerNorm.weight")
        content = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    folder = tmp_path_factory.mktemp("encoder")
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    config = {
        "model_type": "bert", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": 2,
        "intermediate_size": inner, "vocab_size": len(pieces), "max_position_embeddings": positions,
        "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def settings(method: str, encoder: Path) -> dict[str, Any]:
    return SETTINGS[method] | ({"encoder": str(encoder)} if method == "neural" else {})


@pytest.mark.parametrize("method", SETTINGS)
def test_workers_change_nothing(cluster: Any, tmp_path: Path, encoder: Path, method: Any) -> None:
    train, dev = sample(method)
    options: dict[str, Any] = {"train": train, "dev": dev, "progress": False, **settings(method, encoder)}
    alone = tmp_path / "alone.model"
    boughs.train(method, out=alone, threads=1, **options)
    for workers in [1, 2, 5] if method == "latent" else [2]:
        steps: list[boughs.Step] = []
        traffic, out = Traffic(), tmp_path / "ray.model"
        cluster_of(cluster, workers)
        boughs.ray.train(method, out=out, workers=workers, traffic=traffic, on_step=steps.append, **options)
        assert out.read_bytes() == alone.read_bytes()
        assert (traffic.started, traffic.lost) == (workers, 0)
        assert traffic.sums > 0 and traffic.partial_bytes > 0 and traffic.total_bytes > 0 and steps
        assert sorted(path.name for path in tmp_path.iterdir()) == ["alone.model", "ray.model"]


@pytest.mark.parametrize("method", SETTINGS)
def test_a_worker_is_lost(cluster: Any, tmp_path: Path, encoder: Path, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = sample(method)
    options: dict[str, Any] = {"train": train, "dev": dev, "progress": False, **settings(method, encoder)}
    alone, out = tmp_path / "alone.model", tmp_path / "ray.model"
    boughs.train(method, out=alone, threads=1, **options)
    admit, ask, killed = boughs.ray._Team.admit, boughs.ray._Team.ask, []

    def admit_and_see(team: Any, checkpoint: bytes) -> None:
        admit(team, checkpoint)
        killed.append(ray.get(team._workers[0][0].process.remote()))

    def ask_and_kill(team: Any) -> int:
        parts: int = ask(team)
        if team._traffic.sums == 2:
            os.kill(killed[0], signal.SIGKILL)
        return parts

    # It dies while it computes its part of the second sum.
    monkeypatch.setattr(boughs.ray._Team, "admit", admit_and_see)
    monkeypatch.setattr(boughs.ray._Team, "ask", ask_and_kill)
    traffic = Traffic()
    boughs.ray.train(method, out=out, workers=2, traffic=traffic, **options)
    assert out.read_bytes() == alone.read_bytes()
    assert traffic.lost == 1 and traffic.started >= 2


def test_a_host_is_lost(cluster: Any, tmp_path: Path) -> None:
    train, dev = sample("latent")
    options: dict[str, Any] = {"train": train, "dev": dev, "progress": False, **SETTINGS["latent"]}
    alone, out = tmp_path / "alone.model", tmp_path / "ray.model"
    boughs.train("latent", out=alone, threads=1, **options)
    second = cluster.add_node(num_cpus=2)
    workers = int(ray.cluster_resources()["CPU"])  # type: ignore[no-untyped-call]
    traffic = Traffic()

    def lose(step: boughs.Step) -> None:
        if step.number == 1:
            cluster.remove_node(second, allow_graceful=False)

    boughs.ray.train("latent", out=out, workers=workers, traffic=traffic, on_step=lose, **options)
    assert out.read_bytes() == alone.read_bytes()
    assert traffic.started >= workers and traffic.lost == 2


def test_a_run_moves_between_a_cluster_and_one_machine(cluster: Any, tmp_path: Path) -> None:
    train, dev = sample("latent")
    options: dict[str, Any] = {"train": train, "dev": dev, "progress": False, **SETTINGS["latent"]}
    alone = tmp_path / "alone.model"
    boughs.train("latent", out=alone, threads=1, **options)

    class Enough(Exception):
        pass

    def stop(_: boughs.Step) -> None:
        raise Enough

    together = functools.partial(boughs.ray.train, workers=2)
    for name, first, then in [("up", boughs.train, together), ("down", together, boughs.train)]:
        out = tmp_path / f"{name}.model"
        with pytest.raises(Enough):
            first("latent", out=out, on_step=stop, **options)
        assert (tmp_path / f"{name}.model.checkpoint").exists()
        then("latent", out=out, resume=True, **options)
        assert out.read_bytes() == alone.read_bytes()


def test_what_is_wrong_is_told(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(boughs.ArgumentError, match="at least one worker"):
        boughs.ray.train("latent", train="@sample/news", workers=0)
    with pytest.raises(boughs.Error, match="round"):
        boughs.ray.train("latent", train="@sample/news", workers=1, progress=False, max_rounds=0)


def cluster_of(cluster: Any, processors: int) -> None:
    """Adds hosts until there are so many processors."""
    missing = processors - int(ray.cluster_resources()["CPU"])  # type: ignore[no-untyped-call]
    if missing > 0:
        cluster.add_node(num_cpus=missing)
