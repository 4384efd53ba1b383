#!/usr/bin/env python3
"""Times an epoch of `boughs train neural` and of the same network in PyTorch, in CPU seconds of one thread.

    pip install torch transformers   # in an environment outside of the repository
    python3 scripts/time_training.py --encoder DIRECTORY --program target/release/boughs --trees FILE [--sentences N]

Both go once through the first N sentences, in batches of 16, with dropout, frozen vectors of the vocabulary, clipping and AdamW. boughs is timed as a
whole, with reading, search and writing the model. PyTorch is timed for passes and steps alone: it searches no trees, and its loss is the sum
of the scores of a few spans of each sentence, as many as a margin touches. Its batches are of random sentences, padded, as one would write it at
first, and of sentences of similar length. Ways take turns, and of each the fastest of all rounds counts.
"""

import argparse
import os
import random
import tempfile
import time

import torch
import transformers
from time_parser import BATCH, Network, batches, run, sentences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--sentences", type=int, default=640)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--labels", type=int, default=60)
    parser.add_argument("--tags", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(1)
    all_words = list(sentences(args.trees))[: args.sentences]
    tokenizer = transformers.AutoTokenizer.from_pretrained(args.encoder)
    network = Network(args.encoder, args.layers, args.hidden, args.labels, args.tags).train()
    network.encoder.embeddings.word_embeddings.requires_grad_(False)
    learned = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=1e-5)

    def shuffled():
        order = all_words[:]
        random.Random(0).shuffle(order)
        for start in range(0, len(order), BATCH):
            yield from batches(tokenizer, order[start : start + BATCH])

    ways = {}
    for name, data in [("random", list(shuffled())), ("similar", list(batches(tokenizer, all_words)))]:

        def epoch(data=data):
            before = time.process_time()
            for batch in data:
                optimizer.zero_grad()
                network.loss(batch).backward()
                torch.nn.utils.clip_grad_norm_(learned, 5.0)
                optimizer.step()
            return time.process_time() - before

        ways[f"PyTorch, batches of {name} sentences"] = epoch
    with tempfile.TemporaryDirectory() as directory:
        trees, model = os.path.join(directory, "trees"), os.path.join(directory, "model")
        with open(args.trees, encoding="utf-8") as file, open(trees, "w", encoding="utf-8") as out:
            out.writelines(list(file)[: args.sentences])
        command = [args.program, "train", "neural", "-j", "1", "--encoder", args.encoder, "--train", trees]
        command += ["--layers", str(args.layers), "--freeze-embeddings", "--batch", str(BATCH), "--epochs", "1"]

        def of_boughs():
            seconds = run([*command, "-o", model])
            os.remove(model)
            return seconds

        ways["boughs"] = of_boughs
        best = {name: float("inf") for name in ways}
        for _ in range(args.rounds):
            for name, way in ways.items():
                best[name] = min(best[name], way())
    for name, seconds in best.items():
        print(f"{name:40} {seconds:8.1f} CPU-s, {len(all_words) / seconds:6.1f} sentences/CPU-s")
    print(f"boughs takes {best['boughs'] / min(list(best.values())[:2]):.2f} times PyTorch's faster way")


if __name__ == "__main__":
    main()
