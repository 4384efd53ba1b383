"""So many sentences through a stream, with memory as it goes: python many.py NUMBER [MODEL]. It fails if they lose their order."""

from __future__ import annotations

import resource
import sys
import time

import boughs


def main(number: int, model: str | None = None) -> None:
    parser = boughs.load(model)
    start = time.process_time()
    given = (["Go", str(place)] for place in range(number))
    for place, sentence in enumerate(parser.stream(given, threads=2), start=1):
        if sentence.words[1] != str(place - 1):
            sys.exit(f"expected sentence {place - 1}, found {sentence.words[1]}")
        if place % (number // 10) == 0:
            with open("/proc/self/statm", encoding="ascii") as statm:
                pages = int(statm.read().split()[1])
            megabytes = pages * resource.getpagesize() >> 20
            print(f"{place} sentences, {megabytes} MB, {time.process_time() - start:.0f} CPU-seconds", flush=True)


main(int(sys.argv[1]), *sys.argv[2:])
