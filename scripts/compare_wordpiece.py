#!/usr/bin/env python3
"""Compares the pieces of boughs-encoder, and their bytes, with those of the package `tokenizers`.

    pip install tokenizers           # in an environment outside of the repository
    python3 scripts/compare_wordpiece.py --encoder DIRECTORY FILE...

Words are the leaves of the treebanks named, each of them once, and words made up of all characters that can make a difference. The directory
is that of an encoder, with tokenizer.json. A word that normalises to nothing has no piece there and is unknown here; that is
expected, and so is a special piece such as [SEP] in a text, which is no special piece here. Everything else must be equal.
"""

import argparse
import os
import re
import subprocess
import sys
import unicodedata

# Marks and punctuation that came, or became so, after the tables of `tokenizers` (Unicode 8): letters to it.
YOUNG = 120
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def leaves(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"\([^\s()]+ ([^\s()]+)\s*\)", file.read())


def made_up():
    """Each character of the basic plane and some beyond, alone and within a word."""
    for code in list(range(0x21, 0xD800)) + list(range(0xE000, 0x10000)) + list(range(0x1F300, 0x1F700)):
        character = chr(code)
        if unicodedata.category(character) == "Cn" or not character.strip() or "\x85" == character:
            continue
        yield character
        yield "ab" + character + "C" + character


def ours(directory, words):
    command = ["cargo", "run", "-q", "-p", "boughs-encoder", "--example", "pieces", "--", directory]
    text = "".join(word + "\n" for word in words)
    done = subprocess.run(command, cwd=ROOT, input=text.encode(), stdout=subprocess.PIPE, check=True)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(words), (len(lines), len(words))
    for line in lines:
        yield [tuple(map(int, re.split("[:-]", piece))) for piece in line.split()]


def theirs(tokenizer, words):
    unknown = tokenizer.token_to_id("[UNK]")
    for word in words:
        encoding = tokenizer.encode(word, add_special_tokens=False)
        # Offsets there are in characters.
        at = [0]
        for character in word:
            at.append(at[-1] + len(character.encode()))
        pieces = [(id, at[start], at[end]) for id, (start, end) in zip(encoding.ids, encoding.offsets)]
        yield pieces or [(unknown, 0, at[-1])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoder", required=True)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(arguments.encoder, "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    failures = 0
    sources = [(path, sorted(set(leaves(path))), 0) for path in arguments.files]
    for name, words, allowed in sources + [("made up", list(made_up()), YOUNG)]:
        pairs = zip(words, ours(arguments.encoder, words), theirs(tokenizer, words))
        differences = [(word, here, there) for word, here, there in pairs if here != there]
        print(f"{name}: {len(words)} words, {len(differences)} differ, {allowed} may")
        for word, here, there in differences[:10]:
            names = " ".join(f"U+{ord(character):04X}" for character in word)
            print(f"  {word!r} ({names})\n    here  {here}\n    there {there}")
        failures += len(differences) > allowed
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
