"""What training on a Ray cluster costs over threads of one process, on this machine; see docs/cluster.md.

    python3 scripts/measure_cluster.py latent TRAIN [SETTING=VALUE …] [--workers 2] [--trees N]

Needs the package with `ray`. Tells the CPU seconds of both (all processes, those of Ray as well), whether the bytes are the
same, the bytes that travelled, and how long the parts of each sum took, from which scripts/simulate_cluster.py takes its
stragglers.
"""

from __future__ import annotations

import argparse
import ast
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of_all(root: int) -> float:
    """CPU seconds of a process and of all below it, those that have ended as well."""
    parents, seconds = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(") ", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / TICKS
    total, wave = 0.0, [root]
    while wave:
        total += sum(seconds.get(process, 0.0) for process in wave)
        wave = [process for process, parent in parents.items() if parent in wave]
    return total


def measured(run: Any) -> float:
    before = cpu_of_all(os.getpid())
    run()
    return cpu_of_all(os.getpid()) - before


def main() -> None:
    program = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_argument("method")
    program.add_argument("train")
    program.add_argument("settings", nargs="*", help="as max_rounds=3")
    program.add_argument("--dev", help="a treebank to measure on after each step")
    program.add_argument("--workers", type=int, default=2)
    program.add_argument("--trees", type=int, help="only so many trees")
    given = program.parse_args()
    settings = {name: ast.literal_eval(value) for name, value in (one.split("=", 1) for one in given.settings)}

    import ray

    import boughs
    import boughs.ray

    trees = boughs.read(given.train)[: given.trees]
    options = {"train": trees, "dev": given.dev, "progress": False, **settings}
    with tempfile.TemporaryDirectory() as directory:
        alone, together = Path(directory, "alone"), Path(directory, "together")
        threads = measured(lambda: boughs.train(given.method, out=alone, threads=given.workers, **options))
        print(f"{len(trees)} trees; threads of one process: {threads:.1f} CPU-s", flush=True)

        ray.init(address="local", num_cpus=given.workers, log_to_driver=False, include_dashboard=False)
        idle = measured(lambda: time.sleep(10)) / 10
        traffic, waits, processors = boughs.ray.Traffic(), [], []
        compute, end = boughs.ray._Team.answer, boughs.ray._Team.end

        def timed_answer(team: Any, part: int) -> Any:
            answer = compute(team, part)
            if part == len(team._asked) - 1:
                waits.append(time.perf_counter())
            return answer

        def measured_end(team: Any) -> None:
            processors.append(cpu_of_all(os.getpid()))
            end(team)

        boughs.ray._Team.answer, boughs.ray._Team.end = timed_answer, measured_end
        before, start = cpu_of_all(os.getpid()), time.perf_counter()
        boughs.ray.train(given.method, out=together, workers=given.workers, traffic=traffic, **options)
        cluster, seconds = processors[0] - before, time.perf_counter() - start
        is_same = alone.read_bytes() == together.read_bytes()
    print(f"{given.workers} workers of Ray: {cluster:.1f} CPU-s, of which Ray itself takes {idle * seconds:.1f} while it idles")
    print(f"ratio {cluster / threads:.3f}; without what Ray takes while it idles {(cluster - idle * seconds) / threads:.3f}")
    print(f"the same bytes: {is_same}")
    print(f"{traffic.sums} sums; {traffic.partial_bytes / traffic.sums / 1e6:.3f} MB of partial sums and {traffic.total_bytes / traffic.sums / 1e6:.3f} MB of a total each")
    lengths = [b - a for a, b in zip(waits, waits[1:])]
    # Iterations beside one another do the same work: what one takes more than its neighbours is noise of the machine.
    near = [statistics.median(lengths[max(0, at - 3) : at + 4]) for at in range(len(lengths))]
    ratios = sorted(length / middle for length, middle in zip(lengths, near))
    if len(ratios) > 20:
        shares = [ratios[min(len(ratios) - 1, int(share * len(ratios)))] for share in (0.1, 0.5, 0.9, 0.99)]
        print("a sum over those around it: " + ", ".join(f"{share:.2f}" for share in shares) + " (10, 50, 90, 99%)")


if __name__ == "__main__":
    main()
