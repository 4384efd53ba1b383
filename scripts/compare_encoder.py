#!/usr/bin/env python3
"""Compares the forward pass of boughs-encoder with that of PyTorch's `transformers`.

    pip install torch transformers   # in an environment outside of the repository
    python3 scripts/compare_encoder.py --encoder DIRECTORY [--layers N] [FILE...]

Sentences are those of the treebanks named (the first --sentences of each), or some of all lengths made up. The largest difference of any number
must be below 1e-4. The pieces are those of boughs-encoder; scripts/compare_wordpiece.py compares these.
"""

import argparse
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOUND = 1e-4


def sentences(path, number):
    with open(path, encoding="utf-8") as file:
        for line in list(file)[:number]:
            words = re.findall(r"\([^\s()]+ ([^\s()]+)\s*\)", line)
            if words:
                yield words


def made_up(tokenizer, number):
    words = [word for word in tokenizer.get_vocab() if re.fullmatch("[a-z]+", word)]
    draw = random.Random(1)
    for length in range(1, number + 1):
        yield draw.choices(sorted(words), k=length)


def run(example, arguments, lines):
    command = ["cargo", "run", "-q", "-p", "boughs-encoder", "--example", example, "--", *arguments]
    text = "".join(line + "\n" for line in lines)
    return subprocess.run(command, cwd=ROOT, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def pieces_of(directory, words):
    lines = run("pieces", [directory], words).decode().splitlines()
    return dict(zip(words, ([int(piece.split(":")[0]) for piece in line.split()] for line in lines)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    import numpy
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.encoder)
    model = transformers.BertModel.from_pretrained(arguments.encoder, add_pooling_layer=False).eval()
    if arguments.layers:
        model.encoder.layer = model.encoder.layer[: arguments.layers]
    data = [words for path in arguments.files for words in sentences(path, arguments.sentences)]
    data = data or list(made_up(tokenizer, arguments.sentences))
    pieces = pieces_of(arguments.encoder, sorted({word for words in data for word in words}))
    options = [arguments.encoder, "f32"] + ([str(arguments.layers)] if arguments.layers else [])
    ours = numpy.frombuffer(run("vectors", options, [" ".join(words) for words in data]), dtype="<f4")
    ours = ours.reshape(-1, model.config.hidden_size)
    start, worst = 0, 0.0
    with torch.no_grad():
        for words in data:
            ids = [tokenizer.cls_token_id, *(id for word in words for id in pieces[word]), tokenizer.sep_token_id]
            theirs = model(torch.tensor([ids])).last_hidden_state[0].numpy()
            worst = max(worst, float(abs(theirs - ours[start : start + len(ids)]).max()))
            start += len(ids)
    assert start == len(ours), "as many rows"
    print(f"{len(data)} sentences, {start} pieces: largest difference {worst:.2e}, allowed {BOUND:.0e}")
    sys.exit(worst >= BOUND)


if __name__ == "__main__":
    main()
