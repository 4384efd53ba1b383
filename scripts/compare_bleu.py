#!/usr/bin/env python3
"""Compares the BLEU of `boughs translate eval` with sacreBLEU on the same files.

    cargo build --release
    pip install sacrebleu            # in an environment outside of the repository
    python3 scripts/compare_bleu.py REFERENCE TRANSLATION

Both are compared twice: over blank-separated tokens as they are (`--tokenize none`) and over those of mteval-v13a. The exit code is 1
if a score differs by more than 0.005.
"""

import argparse
import json
import subprocess
import sys

import sacrebleu


def read(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference")
    parser.add_argument("translation")
    parser.add_argument("--boughs", default="target/release/boughs")
    arguments = parser.parse_args()
    command = [arguments.boughs, "translate", "eval", arguments.reference, arguments.translation]
    command += ["--reference-tokens", "blanks", "--json"]
    ours = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    references, translations = [read(arguments.reference)], read(arguments.translation)
    differs = False
    for tokens, name in [("none", "bleu"), ("13a", "bleu_13a")]:
        theirs = sacrebleu.corpus_bleu(translations, references, tokenize=tokens, force=True).score
        differs |= abs(ours[name] - theirs) > 0.005
        print(f"{tokens}: boughs {ours[name]:.4f}, sacreBLEU {theirs:.4f}")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
