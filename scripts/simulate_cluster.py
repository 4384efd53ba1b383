"""How well training and parsing would use 4, 16, 64 and 256 hosts, from what was measured on one.

    python3 scripts/simulate_cluster.py [--svg FILE]

Efficiency is the time that all processors together need for the sums alone, over the time that the cluster takes for a step.
A step is as boughs.ray makes it: each host computes its part of the shards, the leader takes in all partial sums, adds them
up and sends the total to all, and each process does what is not a sum. `tree` is what it would be if hosts added up along a
binary tree of fixed shape, `overlap` if the next part were computed while the last is on its way. Where the figures come
from is beside them; they are in record/2026-11-18-cluster.md.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from dataclasses import dataclass

HOSTS = [1, 4, 16, 64, 256]
CORES = 2
#: Bytes a second: 10 Gbit/s, and seconds until a message is there.
BANDWIDTH, LATENCY = 1.25e9, 2e-4
STEPS = 40
#: How much longer a part takes than in the middle, measured: pairs of share and factor.
STRAGGLERS = [(0.0, 0.85), (0.1, 0.95), (0.5, 1.0), (0.9, 1.15), (0.99, 1.6), (1.0, 2.0)]


@dataclass(frozen=True)
class Method:
    """A step of a method."""

    name: str
    #: Units of work in a step (sentences, labels), units in a shard, CPU seconds of a unit.
    units: float
    shard: float
    seconds: float
    #: Bytes of the partial sum of a shard, and of the total.
    partial: float
    total: float
    #: Seconds of each process for what is no sum.
    serial: float
    #: CPU seconds to add up a byte.
    add: float = 1e-9


def drawn(generator: random.Random) -> float:
    share = generator.random()
    for (a, low), (b, high) in zip(STRAGGLERS, STRAGGLERS[1:]):
        if share <= b:
            return low + (high - low) * (share - a) / (b - a)
    return STRAGGLERS[-1][1]


def efficiency(method: Method, hosts: int, way: str) -> float:
    generator = random.Random(1)
    shards = math.ceil(method.units / method.shard)
    work = method.units * method.seconds
    total = 0.0
    for _ in range(STEPS):
        processes = hosts * CORES
        # The first processes have one shard more, if they cannot have the same.
        least, more = divmod(shards, processes)
        of_one = method.shard * method.seconds
        slowest = max(drawn(generator) * of_one * (least + (process < more)) for process in range(processes))
        if way == "star":
            travel = shards * method.partial / BANDWIDTH + hosts * method.total / BANDWIDTH
            travel += shards * method.partial * method.add + 2 * LATENCY
        else:
            levels = math.ceil(math.log2(max(1, hosts)))
            travel = 2 * levels * (method.total / BANDWIDTH + LATENCY) + levels * method.total * method.add
        if hosts == 1:
            travel = 0.0
        total += max(slowest, travel) if way == "overlap" else slowest + travel
        total += method.serial
    return work * STEPS / (hosts * CORES * total)


def parsing(hosts: int, sentences: float = 1e7, seconds: float = 1 / 135, shards: int = 8192) -> float:
    """Shards are taken from a queue: what is lost is the time of those that wait for the last."""
    generator = random.Random(1)
    ends = [0.0] * (hosts * CORES)
    for _ in range(shards):
        start = heapq.heappop(ends)
        heapq.heappush(ends, start + 0.01 + sentences / shards * seconds * drawn(generator))
    mean = sum(drawn(generator) for _ in range(10000)) / 10000
    return sentences * seconds * mean / (hosts * CORES * max(ends))


def smallest_batch(way: str, hosts: int = 64, wanted: float = 0.9) -> int | None:
    """Of powers of two: the smallest batch of neural training that keeps so much."""
    for exponent in range(5, 25):
        batch = 2**exponent
        if efficiency(neural(batch), hosts, way) >= wanted:
            return batch
    return None


def neural(batch: int) -> Method:
    return Method("neural", batch, 8, NEURAL_SECONDS, NEURAL_BYTES, NEURAL_BYTES, NEURAL_UPDATE)


def table() -> dict[str, list[float]]:
    rows = {"parsing": [parsing(hosts) for hosts in HOSTS]}
    for method in [*METHODS, neural(32), neural(4096)]:
        name = f"neural, batch {method.units:.0f}" if method.name == "neural" else method.name
        for way in ["star", "tree", "overlap"]:
            rows[f"{name}: {way}"] = [efficiency(method, hosts, way) for hosts in HOSTS]
    return rows


COLORS = {"parsing": "#1f77b4", "latent": "#d62728", "conditional": "#2ca02c", "crf": "#9467bd", "neural": "#ff7f0e", "boosted": "#8c564b"}
DASHES = {"star": "none", "tree": "7 3", "overlap": "2 3"}


def svg(rows: dict[str, list[float]]) -> str:
    """Curves of efficiency over hosts."""
    left, top, width, height = 50, 20, 420, 300
    x = [left + width * at / (len(HOSTS) - 1) for at in range(len(HOSTS))]

    def y(value: float) -> float:
        return top + height * (1 - value)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{top + height + 50}" font-family="sans-serif" font-size="12">']
    out.append('<rect width="100%" height="100%" fill="#fff"/>')
    for value in [0, 0.2, 0.4, 0.6, 0.8, 1]:
        out.append(f'<path d="M{left} {y(value):.1f}H{left + width}" stroke="{"#999" if value == 0.8 else "#ddd"}"/>')
        out.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for place, hosts in zip(x, HOSTS):
        out.append(f'<text x="{place:.1f}" y="{top + height + 18}" text-anchor="middle">{hosts}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">hosts of two processors; efficiency</text>')
    for number, (name, values) in enumerate(rows.items()):
        color = next(color for key, color in COLORS.items() if name.startswith(key))
        dash = next((dash for way, dash in DASHES.items() if name.endswith(way)), "none")
        points = " ".join(f"{place:.1f},{y(value):.1f}" for place, value in zip(x, values))
        line = f'fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"'
        out.append(f'<polyline points="{points}" {line}/>')
        at = top + 10 + 15 * number
        out.append(f'<path d="M{left + width + 20} {at}h30" {line}/>')
        out.append(f'<text x="{left + width + 56}" y="{at + 4}">{name}</text>')
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    program = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_argument("--svg", help="a file for the curves")
    given = program.parse_args()
    rows = table()
    print("| | " + " | ".join(f"{hosts}" for hosts in HOSTS) + " |")
    print("|---" * (len(HOSTS) + 1) + "|")
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
    for way in ["star", "tree", "overlap"]:
        print(f"neural, 64 hosts: the smallest batch that keeps 0.9 with `{way}`: {smallest_batch(way)}")
    if given.svg:
        with open(given.svg, "w", encoding="utf-8") as file:
            file.write(svg(rows))


if __name__ == "__main__":
    main()
