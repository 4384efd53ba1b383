"""Training: steps, interruptions, explanations, progress."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import boughs

QUICK = {"max_rounds": 1, "split_iterations": 3}


def test_training_a_parser(tmp_path: Path) -> None:
    steps: list[boughs.Step] = []
    out = tmp_path / "own.model"
    parser = boughs.train(
        "latent", train="@sample/howto", dev="@sample/news", out=out, on_step=steps.append, progress=False,
        name="own", note="trees of our own", **QUICK,
    )  # fmt: skip
    assert steps and steps[-1].scores is not None and steps[-1].scores["F1"] > 30
    assert parser.about["name"] == "own" and parser.about["data"] == "trees of our own"
    assert parser.about["settings"]["training-trees"] == "55"
    assert boughs.load(out)("Wash the rice.") == parser("Wash the rice.")
    assert [path.name for path in tmp_path.iterdir()] == ["own.model"]
    other = tmp_path / "other.model"
    boughs.train(
        "latent", train=boughs.read("@sample/howto"), dev=["@sample/news"], out=other, threads=1, progress=False,
        name="own", note="trees of our own", **QUICK,
    )  # fmt: skip
    assert other.read_bytes() == out.read_bytes()


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    boughs.train("pcfg", train="@sample/howto")
    printed = capsys.readouterr()
    assert printed.out == "" and "step 1" in printed.err


def test_mistakes_are_told_at_once(tmp_path: Path) -> None:
    out = tmp_path / "own.model"
    for wrong, message in [
        ({"method": "magic"}, "there is no method `magic`"),
        ({"max_round": 1}, "max-round"),
        ({"train": []}, "expected trees, found none"),
        ({"out": tmp_path / "no" / "own.model"}, "directory that exists"),
        ({"out": out, "resume": True}, "no checkpoint to resume"),
    ]:
        with pytest.raises(boughs.Error, match=message):
            boughs.train(**{"method": "latent", "train": "@sample/howto", "progress": False, **wrong})
    (tmp_path / "own.model.checkpoint").write_text("work of hours")
    with pytest.raises(boughs.ArgumentError, match="resume=True"):
        boughs.train("latent", train="@sample/howto", out=out, progress=False)


def test_a_callback_that_raises_leaves_a_checkpoint(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole.model", tmp_path / "broken.model"

    def refuse(step: boughs.Step) -> None:
        raise RuntimeError("enough")

    settings = {"train": "@sample/howto", "dev": "@sample/news", "progress": False, "max_rounds": 2, "split_iterations": 3}
    with pytest.raises(RuntimeError, match="enough"):
        boughs.train("latent", out=broken, on_step=refuse, **settings)
    assert not broken.exists() and (tmp_path / "broken.model.checkpoint").exists()
    boughs.train("latent", out=broken, resume=True, **settings)
    boughs.train("latent", out=whole, **settings)
    assert broken.read_bytes() == whole.read_bytes()


def test_ctrl_c_leaves_a_checkpoint(tmp_path: Path) -> None:
    program = (
        "import boughs\n"
        "boughs.train('latent', train='@sample', out='own.model', max_rounds=6, progress=False,\n"
        "             on_step=lambda step: print(step.number, flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    assert process.stdout is not None and process.stdout.readline().strip() == b"1"
    time.sleep(0.3)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors and time.monotonic() - start < 2
    assert [path.name for path in tmp_path.iterdir()] == ["own.model.checkpoint"]


def test_explanations() -> None:
    boosted = boughs.train(
        "boosted", train=boughs.read("@sample/howto")[:30], progress=False, patience=1, folds=2, first_penalty=20.0,
        max_active=300,
    )  # fmt: skip
    explained = boosted.explain("Wash the rice.")
    assert explained.steps and any(step.reasons for step in explained.steps)
    assert explained.steps[0].words and explained.steps[0].text in str(explained)
    assert "<table>" in explained._repr_html_()
    assert boosted.explain(["Wash", "the", "rice"], alternatives=0).steps[0].alternatives == []
    plain = boughs.train("pcfg", train="@sample/howto", progress=False)
    steps = plain.explain("Wash the rice.").steps
    assert steps[0].text == "Wash the rice ." and steps[0].score <= 0 and len(steps[0].reasons) == 4
    assert steps[0].alternatives[0][1] > 0 and "word 2" in str(plain.explain("Wash the rice."))
