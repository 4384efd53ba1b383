"""CPU-seconds of parsing a file of tokens, a sentence a line: python cpu.py FILE THREADS.

Beside it: boughs parse -q -j 1 --tokenized FILE > /dev/null
"""

from __future__ import annotations

import os
import resource
import sys

import boughs


def main(path: str, threads: str) -> None:
    parser = boughs.load()
    with open(path, encoding="utf-8") as lines, open(os.devnull, "w", encoding="utf-8") as out:
        for sentence in parser.stream((line.split() for line in lines), threads=int(threads)):
            out.write(f"{sentence.tree}\n")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{used.ru_utime + used.ru_stime:.2f} CPU-seconds, at most {used.ru_maxrss // 1024} MB")


main(*sys.argv[1:])
