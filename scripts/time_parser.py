#!/usr/bin/env python3
"""Times parsing of a treebank's words by boughs and by the same network in PyTorch, in sentences per CPU second of one thread.

    pip install torch transformers   # in an environment outside of the repository
    python3 scripts/time_parser.py --encoder DIRECTORY --program target/release/boughs --trees FILE MODEL...

Each MODEL is a neural parser: one in f32, one in int8 and so on. boughs is timed as a whole: loading the model, reading the trees, cutting words
into pieces, encoder, head, search, writing; once in batches and once a sentence at a time, as it does where every sentence has its own time limit.
PyTorch is timed for encoder and head alone, in batches of sentences of similar length, on pieces that are already there: it finds
no trees, and what it takes to load is not counted. Ways take turns, and of each the fastest of all rounds counts.
"""

import argparse
import os
import re
import resource
import subprocess
import time

import torch
import transformers

BATCH = 16


def sentences(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = re.findall(r"\((?!-NONE-)[^\s()]+ ([^\s()]+)\s*\)", line)
            if words:
                yield words


class Network(torch.nn.Module):
    """An encoder with the head of `boughs train neural`; its numbers are those of the encoder and random ones."""

    def __init__(self, directory, layers, hidden, labels, tags):
        super().__init__()
        self.encoder = transformers.BertModel.from_pretrained(directory, add_pooling_layer=False)
        self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
        width = 2 * self.encoder.config.hidden_size
        self.places = torch.nn.Linear(width, hidden)
        self.spans = torch.nn.Sequential(torch.nn.LayerNorm(hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, labels))
        self.words = torch.nn.Sequential(
            torch.nn.Linear(width, hidden), torch.nn.LayerNorm(hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, tags)
        )

    def forward(self, batch):
        """The scores of spans and of words, for each sentence."""
        rows = self.encoder(input_ids=batch["ids"], attention_mask=batch["mask"]).last_hidden_state
        for row, (before, behind, first, last) in zip(rows, batch["words"]):
            places = self.places(torch.cat([row[before], row[behind]], 1))
            starts, ends = torch.triu_indices(len(before), len(before), 1)
            yield self.spans(places[ends] - places[starts]), self.words(torch.cat([row[first], row[last]], 1))

    def loss(self, batch):
        """A sum over all words and as many spans, which has gradients where that of training has some."""
        scores = [spans[:: max(1, len(spans) // len(words))].sum() + words.sum() for spans, words in self(batch)]
        return sum(scores) / len(scores)


def batches(tokenizer, all_words):
    """Pieces of sentences of similar length, and where their words are."""
    encoded = [tokenizer(words, is_split_into_words=True, truncation=True) for words in all_words]
    encoded.sort(key=lambda one: len(one["input_ids"]))
    for start in range(0, len(encoded), BATCH):
        chunk = encoded[start : start + BATCH]
        longest = len(chunk[-1]["input_ids"])
        ids = torch.tensor([one["input_ids"] + [0] * (longest - len(one["input_ids"])) for one in chunk])
        mask = torch.tensor([one["attention_mask"] + [0] * (longest - len(one["input_ids"])) for one in chunk])
        yield {"ids": ids, "mask": mask, "words": [places(one) for one in chunk]}


def places(one):
    """The pieces before and behind each place between words, and the first and the last of each word."""
    of_words = {}
    for piece, word in enumerate(one.word_ids()):
        if word is not None:
            first, _ = of_words.get(word, (piece, piece))
            of_words[word] = (first, piece)
    first = [pair[0] for pair in of_words.values()]
    last = [pair[1] for pair in of_words.values()]
    return [0] + last, first + [len(one["input_ids"]) - 1], first, last


def run(command):
    """The CPU seconds that a program takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", metavar="MODEL", nargs="+")
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--tags", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    all_words = list(sentences(args.trees))
    tokenizer = transformers.AutoTokenizer.from_pretrained(args.encoder)
    network = Network(args.encoder, args.layers, args.hidden, args.labels, args.tags).eval()
    together = list(batches(tokenizer, all_words))

    def in_pytorch():
        before = time.process_time()
        with torch.inference_mode():
            for batch in together:
                list(network(batch))
        return time.process_time() - before

    ways = {"PyTorch f32": in_pytorch}
    for model in args.models:
        base = [args.program, "parse", "-q", "-j", "1", "-m", model]
        name = os.path.basename(model)
        ways[name] = lambda base=base: run([*base, "--trees", "--retag", args.trees])
        ways[name + ", one at a time"] = lambda base=base: run([*base, "--trees", "--retag", "--timeout", "1000", args.trees])
    best = {name: float("inf") for name in ways}
    for _ in range(args.rounds):
        for name, way in ways.items():
            best[name] = min(best[name], way())
    pytorch = len(all_words) / best["PyTorch f32"]
    for name, seconds in best.items():
        rate = len(all_words) / seconds
        print(f"{name:40} {rate:8.1f} sentences/CPU-s {rate / pytorch:6.2f} times PyTorch")


if __name__ == "__main__":
    main()
