#!/usr/bin/env python3
"""Compares `boughs align` with eflomal by what it is for: transducers trained on the links of each, and their F1.

    cargo build --release
    pip install eflomal              # in an environment outside of the repository
    python3 scripts/compare_aligners.py --trees train.trees --target train.fr --dev-trees dev.trees --dev-target dev.fr

Source sentences are trees (`boughs parse` writes them). The tokens that eflomal sees are those that boughs sees. Both directions of eflomal
are made symmetric by the intersection and the growing of its own `atools`-like rule in this script (grow-diag-final-and), in lower case, as
boughs does by default. CPU seconds are those of the aligner alone.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def run(command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def cpu_of(work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def words_of_tree(line):
    return [word.replace("-LRB-", "(").replace("-RRB-", ")") for word in re.findall(r" ([^()\s]+)\)", line)]


def plain_tokens(line):
    line = re.sub(r"(?<=\w)(['’])(?=\w)", r"\1 ", line)
    tokens = []
    for chunk in line.split():
        tokens += re.findall(r"\w+['’]$|\w+(?:[-.,:/‐·]\w+)*|\S", chunk)
    return tokens


def grow_diag_final_and(forward, backward):
    links, union = forward & backward, forward | backward
    source, target = {i for i, _ in links}, {j for _, j in links}
    is_grown = True
    while is_grown:
        is_grown = False
        for i, j in sorted(links):
            for a, b in NEIGHBOURS:
                link = (i + a, j + b)
                if link in union and link not in links and not (link[0] in source and link[1] in target):
                    links.add(link)
                    source.add(link[0])
                    target.add(link[1])
                    is_grown = True
    for links_of_side in (forward, backward):
        for i, j in sorted(links_of_side):
            if i not in source and j not in target:
                links.add((i, j))
                source.add(i)
                target.add(j)
    return links


def eflomal_links(sources, targets, directory):
    import eflomal

    paths = [os.path.join(directory, name) for name in ("forward", "backward")]
    text = lambda side: [" ".join(words).lower() + "\n" for words in side]
    aligner = eflomal.Aligner()
    aligner.align(text(sources), text(targets), links_filename_fwd=paths[0], links_filename_rev=paths[1], quiet=True)
    links = []
    for lines in zip(*(open(path) for path in paths)):
        pairs = [{tuple(map(int, link.split("-"))) for link in line.split()} for line in lines]
        links.append(sorted(grow_diag_final_and(*pairs)))
    return links


def f1_of(arguments, links, directory):
    model, translation = os.path.join(directory, "model"), os.path.join(directory, "translation")
    command = [arguments.boughs, "translate", "train", "--trees", arguments.train_trees, arguments.train_target]
    run(command + ["--target-tokens", "blanks", "--links", links, "-o", model, "-q", *arguments.train_option])
    with open(translation, "w") as out:
        run([arguments.boughs, "translate", "run", "-m", model, "--trees", arguments.dev_trees], stdout=out)
    command = [arguments.boughs, "translate", "eval", arguments.dev_target, translation, "--json"]
    figures = json.loads(run(command, capture_output=True).stdout)["figures"]
    return ["%.2f" % one["f1"] for one in figures]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("trees", "target", "dev-trees", "dev-target"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--boughs", default="target/release/boughs")
    parser.add_argument("--max-pairs", type=int, default=10000)
    parser.add_argument("--align-option", action="append", default=[])
    parser.add_argument("--train-option", action="append", default=["--min-words=0", "--max-words=1000", "--max-ratio=1000"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        trees = open(arguments.trees, encoding="utf-8").read().splitlines()[: arguments.max_pairs]
        targets = [plain_tokens(line) for line in open(arguments.target, encoding="utf-8")][: arguments.max_pairs]
        arguments.train_trees = os.path.join(directory, "train.trees")
        arguments.train_target = os.path.join(directory, "train.target")
        open(arguments.train_trees, "w").write("\n".join(trees) + "\n")
        open(arguments.train_target, "w").write("".join(" ".join(words) + "\n" for words in targets))
        ours, theirs = (os.path.join(directory, name) for name in ("ours", "theirs"))
        align = [arguments.boughs, "align", "-q", "--trees", arguments.train_trees, arguments.train_target]
        _, cpu = cpu_of(lambda: run(align + ["--target-tokens", "blanks", *arguments.align_option], stdout=open(ours, "w")))
        print(f"boughs: {cpu:.1f} s, F1 {f1_of(arguments, ours, directory)}")
        sources = [words_of_tree(tree) for tree in trees]
        links, cpu = cpu_of(lambda: eflomal_links(sources, targets, directory))
        with open(theirs, "w") as out:
            out.writelines(" ".join(f"{i}-{j}" for i, j in pairs) + "\n" for pairs in links)
        print(f"eflomal: {cpu:.1f} s, F1 {f1_of(arguments, theirs, directory)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
