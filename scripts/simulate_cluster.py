"""How well training and parsing would use 4, 16, 64 and 256 hosts, from what was measured on one.

    python3 scripts/simulate_cluster.py [--even] [--svg FILE]

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
#: How much longer a sum takes than those around it, measured on a machine with five times as much to do as it can: the
#: share of sums, and the factor.
MEASURED = [(0.0, 0.75), (0.1, 0.75), (0.5, 1.0), (0.9, 1.34), (0.99, 4.55), (1.0, 4.55)]
#: All parts take the same: what is lost is lost to what travels, and to what is no sum.
EVEN = [(0.0, 1.0), (1.0, 1.0)]


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


#: Latent: gum, 10,224 trees in 20 shards, two rounds more than were measured, so four times the numbers of each rule and
#: about five times the work (record/2026-11-16-product.md has 148 CPU seconds for five rounds); 10 million sentences.
LATENT_SECONDS = 5 * 28.2 / 243 / 10224
LATENT_PARTIAL = 4 * 13.73e6 / 20
LATENT_TOTAL = 4 * 3.306e6
LATENT_SERIAL = 0.05
METHODS = [Method("latent", 1e7, 512, LATENT_SECONDS, LATENT_PARTIAL, LATENT_TOTAL, LATENT_SERIAL, add=2e-9)]

#: Neural: six layers of MiniLM with frozen vectors of words, 790 CPU seconds for three epochs of gum.
NEURAL_SECONDS = 790 / 3 / 10224
NEURAL_BYTES = 45.05e6
NEURAL_UPDATE = 0.02


class Draw:
    """How much longer parts take, one after the other."""

    def __init__(self, stragglers: list[tuple[float, float]]) -> None:
        self._stragglers, self._generator = stragglers, random.Random(1)

    def __call__(self) -> float:
        share = self._generator.random()
        for (a, low), (b, high) in zip(self._stragglers, self._stragglers[1:]):
            if share <= b and b > a:
                return low + (high - low) * (share - a) / (b - a)
        return self._stragglers[-1][1]


def efficiency(method: Method, hosts: int, way: str, stragglers: list[tuple[float, float]]) -> float:
    drawn = Draw(stragglers)
    shards = math.ceil(method.units / method.shard)
    work = method.units * method.seconds
    total = 0.0
    for _ in range(STEPS):
        processes = hosts * CORES
        # The first processes have one shard more, if they cannot have the same.
        least, more = divmod(shards, processes)
        of_one = method.shard * method.seconds
        slowest = max(drawn() * of_one * (least + (process < more)) for process in range(processes))
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


def parsing(hosts: int, stragglers: list[tuple[float, float]], sentences: float = 1e7, seconds: float = 1 / 135, shards: int = 8192) -> float:
    """Shards are taken from a queue: what is lost is the time of those that wait for the last."""
    drawn = Draw(stragglers)
    ends = [0.0] * (hosts * CORES)
    for _ in range(shards):
        start = heapq.heappop(ends)
        heapq.heappush(ends, start + 0.01 + sentences / shards * seconds * drawn())
    mean = sum(drawn() for _ in range(10000)) / 10000
    return sentences * seconds * mean / (hosts * CORES * max(ends))


def smallest_batch(way: str, stragglers: list[tuple[float, float]], hosts: int = 64, wanted: float = 0.9) -> int | None:
    """Of powers of two: the smallest batch of neural training that keeps so much."""
    for exponent in range(5, 25):
        batch = 2**exponent
        if efficiency(neural(batch), hosts, way, stragglers) >= wanted:
            return batch
    return None


def neural(batch: int) -> Method:
    return Method("neural", batch, 8, NEURAL_SECONDS, NEURAL_BYTES, NEURAL_BYTES, NEURAL_UPDATE)


def table(stragglers: list[tuple[float, float]]) -> dict[str, list[float]]:
    rows = {"parsing": [parsing(hosts, stragglers) for hosts in HOSTS]}
    for method in [*METHODS, neural(32), neural(16384)]:
        name = f"neural, batch {method.units:.0f}" if method.name == "neural" else method.name
        for way in ["star", "tree", "overlap"]:
            rows[f"{name}: {way}"] = [efficiency(method, hosts, way, stragglers) for hosts in HOSTS]
    return rows


COLORS = {"parsing": "#1f77b4", "latent": "#d62728", "neural, batch 32": "#bcbd22", "neural": "#ff7f0e"}
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
    program.add_argument("--even", action="store_true", help="all parts take the same")
    program.add_argument("--svg", help="a file for the curves")
    given = program.parse_args()
    stragglers = EVEN if given.even else MEASURED
    rows = table(stragglers)
    print("| | " + " | ".join(f"{hosts}" for hosts in HOSTS) + " |")
    print("|---" * (len(HOSTS) + 1) + "|")
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
    for way in ["star", "tree", "overlap"]:
        print(f"neural, 64 hosts: the smallest batch that keeps 0.9 with `{way}`: {smallest_batch(way, stragglers)}")
    if given.svg:
        with open(given.svg, "w", encoding="utf-8") as file:
            file.write(svg(rows))


if __name__ == "__main__":
    main()
