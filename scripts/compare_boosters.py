#!/usr/bin/env python3
"""Compares `boughs learn train` with XGBoost and LightGBM on the same sparse binary matrix.

    cargo build --release
    pip install numpy scipy xgboost lightgbm
    python3 scripts/compare_boosters.py --rows 100000 --features 100000

The data look like a parser's: columns by Zipf's law, 200 to 400 active in a row, labels from a sparse set of
conjunctions with noise. All programs get the same rows; each runs until it stops getting better on held-out rows or out of
time, in a process of its own. The table says when each reached the held-out log-loss that all of them reach, its
best log-loss, the peak memory of its process (data included), the leaves of its best model that are not zero, and how
many held-out rows it predicts a second (boughs on one thread, the libraries on all). Reading text is counted for nobody, nor is
measuring on held-out rows for the libraries; for boughs it is.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def generate(rows, features, conjunctions, seed):
    """A CSR matrix and labels 0/1. Features are drawn by Zipf's law; neighbours in number are no neighbours in rank."""
    random = np.random.default_rng(seed)
    number_of_rank = random.permutation(features)
    indptr, indices = [0], []
    for _ in range(rows):
        wanted = int(random.integers(200, 401))
        ranks = np.unique((features ** random.random(wanted * 3)).astype(np.int64) - 1)
        if len(ranks) > wanted:
            ranks = random.choice(ranks, wanted, replace=False)
        active = np.sort(number_of_rank[ranks])
        indices.append(active)
        indptr.append(indptr[-1] + len(active))
    matrix = sp.csr_matrix(
        (np.ones(indptr[-1], np.float32), np.concatenate(indices).astype(np.int32), np.array(indptr)),
        shape=(rows, features),
    )
    return matrix, labels(matrix, number_of_rank, conjunctions, random)


def labels(matrix, number_of_rank, conjunctions, random):
    """The sign of a sum over conjunctions of one to three possibly negated features, plus logistic noise."""
    columns = matrix.tocsc()
    score = np.full(matrix.shape[0], -1.0)
    for _ in range(conjunctions):
        holds = np.ones(matrix.shape[0], bool)
        for place in range(int(random.integers(1, 4))):
            rank = int((min(5000, matrix.shape[1]) ** random.random()) - 1)
            feature = number_of_rank[rank]
            active = np.zeros(matrix.shape[0], bool)
            active[columns.indices[columns.indptr[feature] : columns.indptr[feature + 1]]] = True
            holds &= ~active if place > 0 and random.random() < 0.4 else active
        score[holds] += random.normal(0.0, 1.5)
    noise = random.logistic(0.0, 0.5, matrix.shape[0])
    return (score + noise > np.median(score)).astype(np.int32)


def write_svmlight(path, matrix, y):
    with open(path, "w") as out:
        for row in range(matrix.shape[0]):
            active = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
            pairs = " ".join(f"{feature}:1" for feature in active)
            out.write(f"{'+1' if y[row] else '-1'} {pairs}\n")


def log_loss(y, probability):
    probability = np.clip(probability, 1e-15, 1 - 1e-15)
    return float(-np.mean(np.where(y == 1, np.log(probability), np.log(1 - probability))))


def run_boughs(folder, args):
    """Trains by the binary; the log has a line for each tree."""
    log, model = os.path.join(folder, "log.tsv"), os.path.join(folder, "model")
    train = [args.boughs, "learn", "train", os.path.join(folder, "train.svm"), "--out", model]
    train += ["--dev", os.path.join(folder, "dev.svm"), "--log", log, "--threads", str(args.threads)]
    train += ["--lambda", str(args.lam)] + args.boughs_options.split()
    process = subprocess.run(["/usr/bin/env", "python3", __file__, "--measure", *train], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(process.stderr)
    memory = json.loads(process.stdout.splitlines()[-1])["memory"]
    lines = [line.rstrip("\n").split("\t") for line in open(log)][1:]
    curve = [(float(line[0]), float(line[6])) for line in lines]
    sizes = [int(line[3]) for line in lines]
    best = min(range(len(curve)), key=lambda place: curve[place][1])
    predicted = subprocess.run(
        [args.boughs, "learn", "predict", model, os.path.join(folder, "dev.svm"), "--quiet"],
        capture_output=True,
        text=True,
    )
    rate = float(predicted.stderr.split(" rows/s; ")[1].split()[0])
    return {"curve": curve, "memory": memory, "leaves": sizes[best], "rate": rate}


def run_library(name, folder, args):
    """Trains in a process of its own, so that its memory can be measured."""
    command = [sys.executable, __file__, "--library", name, "--folder", folder, "--threads", str(args.threads)]
    command += ["--seconds", str(args.seconds), "--rounds", str(args.rounds)]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        print(process.stderr, file=sys.stderr)
        return None
    return json.loads(process.stdout.splitlines()[-1])


def load(folder, part):
    return sp.load_npz(os.path.join(folder, f"{part}.npz")), np.load(os.path.join(folder, f"{part}.npy"))


def train_xgboost(folder, args):
    import xgboost

    (x, y), (dev_x, dev_y) = load(folder, "train"), load(folder, "dev")
    train, dev = xgboost.DMatrix(x, y), xgboost.DMatrix(dev_x, dev_y)
    settings = {"objective": "binary:logistic", "tree_method": "hist", "eta": 0.3, "max_depth": 6, "nthread": args.threads}
    booster = xgboost.Booster(settings, [train, dev])
    curve, start = [], time.time()
    for number in range(args.rounds):
        booster.update(train, number)
        spent = time.time() - start
        curve.append((spent, float(booster.eval(dev).rsplit(":", 1)[1])))
        start += time.time() - start - spent
        if spent > args.seconds or has_stopped(curve):
            break
    best = min(range(len(curve)), key=lambda place: curve[place][1]) + 1
    leaves = sum(tree.count("leaf=") for tree in booster.get_dump()[:best])
    start = time.time()
    booster.inplace_predict(dev_x, iteration_range=(0, best))
    return curve, leaves, dev_x.shape[0] / (time.time() - start)


def train_lightgbm(folder, args):
    import lightgbm

    (x, y), (dev_x, dev_y) = load(folder, "train"), load(folder, "dev")
    settings = {"objective": "binary", "learning_rate": 0.3, "num_leaves": 31, "num_threads": args.threads, "verbose": -1}
    start = time.time()
    train = lightgbm.Dataset(x, y, free_raw_data=False).construct()
    binning = time.time() - start
    booster = lightgbm.Booster(settings, train)
    booster.add_valid(lightgbm.Dataset(dev_x, dev_y, reference=train).construct(), "dev")
    curve, spent = [], binning
    for _ in range(args.rounds):
        start = time.time()
        is_finished = booster.update()
        spent += time.time() - start
        curve.append((spent, booster.eval_valid()[0][2]))
        if is_finished or spent > args.seconds or has_stopped(curve):
            break
    best = min(range(len(curve)), key=lambda place: curve[place][1]) + 1
    leaves = sum(tree["num_leaves"] for tree in booster.dump_model(num_iteration=best)["tree_info"])
    start = time.time()
    booster.predict(dev_x, num_iteration=best)
    return curve, leaves, dev_x.shape[0] / (time.time() - start)


def has_stopped(curve, patience=30):
    """Whether the last rounds brought nothing."""
    losses = [loss for _, loss in curve]
    return len(losses) > patience and min(losses[-patience:]) >= min(losses[:-patience])


def peak_memory(who):
    return resource.getrusage(who).ru_maxrss / 1024


def time_to(curve, goal):
    return next((seconds for seconds, loss in curve if loss <= goal), None)


def print_table(results):
    goal = max(min(loss for _, loss in result["curve"]) for result in results.values())
    print(f"held-out log-loss that all reach: {goal:.5f}")
    print("program\tseconds to reach it\tbest log-loss\tseconds to best\tpeak MB\tnon-zero leaves\tpredicted rows/s")
    for name, result in results.items():
        seconds, best = min(result["curve"], key=lambda point: point[1])
        reached = time_to(result["curve"], goal)
        print(
            f"{name}\t{reached:.1f}\t{best:.5f}\t{seconds:.1f}\t{result['memory']:.0f}"
            f"\t{result['leaves']}\t{result['rate']:.0f}"
        )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20000, help="training rows")
    parser.add_argument("--dev-rows", type=int, default=5000, help="held-out rows")
    parser.add_argument("--features", type=int, default=50000, help="columns")
    parser.add_argument("--conjunctions", type=int, default=200, help="compound features behind the labels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=600, help="limit of a library's training time")
    parser.add_argument("--rounds", type=int, default=2000, help="limit of a library's trees")
    parser.add_argument("--lam", type=float, default=1.0, help="where boughs ends its path")
    parser.add_argument("--boughs-options", default="", help="further options of `boughs learn train`")
    parser.add_argument("--boughs", default=os.path.join(ROOT, "target/release/boughs"), help="the binary")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    if sys.argv[1:2] == ["--measure"]:
        process = subprocess.run(sys.argv[2:], stderr=sys.stderr)
        print(json.dumps({"memory": peak_memory(resource.RUSAGE_CHILDREN)}))
        sys.exit(process.returncode)
    args = parse_arguments()
    if args.library:
        trainer = {"xgboost": train_xgboost, "lightgbm": train_lightgbm}[args.library]
        curve, leaves, rate = trainer(args.folder, args)
        memory = peak_memory(resource.RUSAGE_SELF)
        print(json.dumps({"curve": curve, "memory": memory, "leaves": leaves, "rate": rate}))
        return
    with tempfile.TemporaryDirectory() as folder:
        matrix, y = generate(args.rows + args.dev_rows, args.features, args.conjunctions, args.seed)
        for part, chosen in [("train", slice(0, args.rows)), ("dev", slice(args.rows, None))]:
            sp.save_npz(os.path.join(folder, f"{part}.npz"), matrix[chosen])
            np.save(os.path.join(folder, f"{part}.npy"), y[chosen])
            write_svmlight(os.path.join(folder, f"{part}.svm"), matrix[chosen], y[chosen])
        active = matrix.nnz / matrix.shape[0]
        print(f"{args.rows} rows, {args.features} columns, {active:.0f} active a row, {args.threads} threads")
        del matrix
        results = {"boughs": run_boughs(folder, args)}
        for name in ["xgboost", "lightgbm"]:
            result = run_library(name, folder, args)
            if result is None:
                print(f"{name} is not installed or failed", file=sys.stderr)
            else:
                results[name] = result
        print_table(results)


if __name__ == "__main__":
    main()
