#!/usr/bin/env python3
"""Times an encoder of MiniLM's shape in PyTorch, in sentences per CPU second of one thread, as the example `speed` of
boughs-encoder times its own: same lengths, same batches, random weights, fastest of all rounds.

    pip install torch transformers   # in an environment outside of the repository
    python3 scripts/time_encoder.py [LAYERS]
"""

import sys
import time

import torch
import transformers

SENTENCES, BATCH, ROUNDS = 128, 16, 7


def batches(size):
    """Pieces and mask of each batch; sentences of 4 to 48 pieces, similar lengths together."""
    lengths = sorted(4 + number * 37 % 45 for number in range(SENTENCES))
    sentences = [[(position * 7919 + length * 31) % 30000 for position in range(length)] for length in lengths]
    for start in range(0, SENTENCES, size):
        chunk = sentences[start : start + size]
        longest = max(map(len, chunk))
        pieces = torch.tensor([ids + [0] * (longest - len(ids)) for ids in chunk])
        mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids in chunk])
        yield {"input_ids": pieces, "attention_mask": mask}


def main():
    torch.set_num_threads(1)
    layers = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    config = transformers.BertConfig(
        hidden_size=384, num_hidden_layers=layers, num_attention_heads=12, intermediate_size=1536
    )
    model = transformers.BertModel(config, add_pooling_layer=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    together, alone = list(batches(BATCH)), list(batches(1))

    def infer(all_batches):
        model.eval()
        with torch.inference_mode():
            for batch in all_batches:
                model(**batch)

    def passes(steps):
        model.train()
        for batch in together:
            model.zero_grad()
            rows = model(**batch).last_hidden_state
            ((rows * batch["attention_mask"][..., None]) ** 2).sum().div(2).backward()
            if steps:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()

    ways = {
        "f32": lambda: infer(together),
        "f32, one by one": lambda: infer(alone),
        "forward and backward": lambda: passes(False),
        "training": lambda: passes(True),
    }
    best = {name: float("inf") for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            before = time.process_time()
            way()
            best[name] = min(best[name], time.process_time() - before)
    for name, seconds in best.items():
        print(f"{name:22} {SENTENCES / seconds:8.1f} sentences/CPU-s")


if __name__ == "__main__":
    main()
