#!/usr/bin/env python3
"""Compares `boughs learn train` with XGBoost and LightGBM on the same sparse binary matrix.

    cargo build --release
    pip install numpy scipy xgboost lightgbm
    python3 scripts/compare_boosters.py generate FOLDER --rows 100000 --features 100000
    python3 scripts/compare_boosters.py run FOLDER boughs xgboost lightgbm
    python3 scripts/compare_boosters.py table FOLDER

The data look like a parser's: columns by Zipf's law, 200 to 400 active in a row, labels from a sparse set of conjunctions
with noise. All programs get the same rows and one thread. Each runs in a process of its own until it stops getting
better on held-out rows or out of time, and what it reached is written to FOLDER/PROGRAM.json: of the libraries after every
tree, so that one that ends too early still has something to show, of boughs at its end, step by step.

Time is CPU time, user and system, because it depends less on what else the machine does. Before the first tree: reading the
data (boughs from text, the libraries from arrays) and building what trees are learnt from. Measuring on held-out rows is
not counted. Memory is the peak of the process. Leaves are those of the best model that
are not zero. Predictions are those of the best model for the held-out rows, one thread, the best of three runs.
"""

import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = ["boughs", "xgboost", "lightgbm"]


def generate(rows, features, conjunctions, seed):
    """A CSR matrix and labels 0/1. Features are drawn by Zipf's law; neighbours in number are no neighbours in rank."""
    random = np.random.default_rng(seed)
    number_of_rank = random.permutation(features).astype(np.int32)
    indptr, indices = [0], []
    for _ in range(rows):
        wanted = int(random.integers(200, 401))
        ranks = np.unique((features ** random.random(wanted * 3)).astype(np.int64) - 1)
        if len(ranks) > wanted:
            ranks = random.choice(ranks, wanted, replace=False)
        active = np.sort(number_of_rank[ranks])
        indices.append(active)
        indptr.append(indptr[-1] + len(active))
    indices = np.concatenate(indices)
    matrix = sp.csr_matrix((np.ones(indptr[-1], np.float32), indices, np.array(indptr)), shape=(rows, features))
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


def write_data(args):
    os.makedirs(args.folder, exist_ok=True)
    matrix, y = generate(args.rows + args.dev_rows, args.features, args.conjunctions, args.seed)
    for part, chosen in [("train", slice(0, args.rows)), ("dev", slice(args.rows, None))]:
        sp.save_npz(os.path.join(args.folder, f"{part}.npz"), matrix[chosen], compressed=False)
        np.save(os.path.join(args.folder, f"{part}.npy"), y[chosen])
        write_svmlight(os.path.join(args.folder, f"{part}.svm"), matrix[chosen], y[chosen])
    print(f"{args.rows} rows, {args.features} columns, {matrix.nnz / matrix.shape[0]:.0f} active a row")


def load(folder, part):
    return sp.load_npz(os.path.join(folder, f"{part}.npz")), np.load(os.path.join(folder, f"{part}.npy"))


class Result:
    """What a program reached, in a file."""

    def __init__(self, args, program):
        self.path = os.path.join(args.folder, f"{program}.json")
        self.facts = {"program": program, "stage": "reading", "before": None, "curve": []}
        self.save()

    def save(self, **facts):
        self.facts.update(facts)
        self.facts["memory"] = max(self.facts.get("memory", 0), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        with open(self.path + ".new", "w") as out:
            json.dump(self.facts, out)
        os.replace(self.path + ".new", self.path)

    def add(self, seconds, loss):
        self.facts["curve"].append((seconds, loss))
        self.save(stage="training")

    def is_over(self, args):
        seconds, losses = self.facts["curve"][-1][0], [loss for _, loss in self.facts["curve"]]
        patience = args.patience
        has_stopped = len(losses) > patience and min(losses[-patience:]) >= min(losses[:-patience])
        return has_stopped or seconds > args.seconds or len(losses) >= args.rounds

    def best_round(self):
        losses = [loss for _, loss in self.facts["curve"]]
        return losses.index(min(losses)) + 1


def best_rate(rows, predict):
    """Rows a CPU second, the best of three."""
    rates = []
    for _ in range(3):
        start = time.process_time()
        predict()
        rates.append(rows / (time.process_time() - start))
    return max(rates)


def run_xgboost(args, result):
    import xgboost

    (x, y), (dev_x, dev_y) = load(args.folder, "train"), load(args.folder, "dev")
    result.save(stage="binning")
    train = xgboost.DMatrix(x, y, nthread=1)
    del x
    dev = xgboost.DMatrix(dev_x, dev_y, nthread=1)
    settings = {"objective": "binary:logistic", "tree_method": "hist", "eta": 0.3, "max_depth": 6, "nthread": 1}
    booster = xgboost.Booster(settings, [train, dev])
    result.save(before=time.process_time())
    spent = 0.0
    while not result.facts["curve"] or not result.is_over(args):
        start = time.process_time()
        booster.update(train, len(result.facts["curve"]))
        spent += time.process_time() - start
        result.add(spent, float(booster.eval(dev).rsplit(":", 1)[1]))
    best = result.best_round()
    leaves = sum(tree.count("leaf=") for tree in booster.get_dump()[:best])
    rate = best_rate(dev_x.shape[0], lambda: booster.inplace_predict(dev_x, iteration_range=(0, best)))
    result.save(stage="done", leaves=leaves, rate=rate)


def run_lightgbm(args, result):
    import lightgbm

    (x, y), (dev_x, dev_y) = load(args.folder, "train"), load(args.folder, "dev")
    settings = {"objective": "binary", "learning_rate": 0.3, "num_leaves": 31, "num_threads": 1, "verbose": -1}
    result.save(stage="binning")
    train = lightgbm.Dataset(x, y, params=settings).construct()
    del x
    booster = lightgbm.Booster(settings, train)
    booster.add_valid(lightgbm.Dataset(dev_x, dev_y, reference=train).construct(), "dev")
    result.save(before=time.process_time())
    spent, is_finished = 0.0, False
    while not is_finished and (not result.facts["curve"] or not result.is_over(args)):
        start = time.process_time()
        is_finished = booster.update()
        spent += time.process_time() - start
        result.add(spent, booster.eval_valid()[0][2])
    best = result.best_round()
    leaves = sum(tree["num_leaves"] for tree in booster.dump_model(num_iteration=best)["tree_info"])
    rate = best_rate(dev_x.shape[0], lambda: booster.predict(dev_x, num_iteration=best))
    result.save(stage="done", leaves=leaves, rate=rate)


def run_boughs(args, result):
    """Trains by the binary, and reads what it wrote about its steps."""
    curves, model = os.path.join(args.folder, "curves"), os.path.join(args.folder, "model")
    train = [args.boughs, "learn", "train", "boosted", "--train", os.path.join(args.folder, "train.svm"), "--out", model]
    train += ["--dev", os.path.join(args.folder, "dev.svm"), "--curves", curves, "-j", "1", "--final-penalty", str(args.lam)]
    process = subprocess.Popen(train + args.boughs_options.split(), stderr=subprocess.PIPE, text=True)
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(told)
    before = float(re.search(r"read in ([0-9.]+) s", told).group(1))
    result.save(before=before)
    with open(os.path.join(curves, "model.steps.csv")) as steps:
        for step in csv.DictReader(steps):
            result.add(float(step["CPU s"]) - before, float(step["log-loss"]))
    about = json.loads(subprocess.run([args.boughs, "model", "info", "--json", model], capture_output=True, check=True).stdout)
    leaves = int(about["settings"]["active-features"])
    result.save(stage="done", leaves=leaves, rate=boughs_rate(args, model))
    result.facts["memory"] = usage.ru_maxrss / 1024
    with open(result.path, "w") as out:
        json.dump(result.facts, out)


def boughs_rate(args, model):
    """Rows a CPU second: the CPU time of predictions beyond that of a model without trees, which only reads the rows."""
    rows = os.path.join(args.folder, "rates.svm")
    with open(os.path.join(args.folder, "dev.svm")) as file:
        lines = file.readlines()
    repeats = max(1, 100_000 // len(lines))
    with open(rows, "w") as out:
        out.writelines(lines * repeats)
    seconds = predict_seconds(args, model, rows) - predict_seconds(args, model, rows, "--at", "1e300")
    os.remove(rows)
    return repeats * len(lines) / seconds


def predict_seconds(args, model, rows, *options):
    """The least CPU time of three runs."""
    predict = [args.boughs, "learn", "predict", "-m", model, rows, "--quiet", *options]
    seconds = []
    for _ in range(3):
        process = subprocess.Popen(predict, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit("boughs learn predict failed")
        seconds.append(usage.ru_utime + usage.ru_stime)
    return min(seconds)


def run(args):
    """Each program in a process of its own, which the system ends if it takes far too long."""
    if args.here:
        runner = {"boughs": run_boughs, "xgboost": run_xgboost, "lightgbm": run_lightgbm}[args.programs[0]]
        runner(args, Result(args, args.programs[0]))
        return
    limit = int(2 * args.seconds + 600)
    for program in args.programs:
        command = [sys.executable, *sys.argv, "--here"]
        command = [word for word in command if word not in PROGRAMS or word == program]
        limits = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        process = subprocess.run(command, preexec_fn=limits)
        if process.returncode != 0:
            print(f"{program} ended with {process.returncode}", file=sys.stderr)


def time_to(curve, goal):
    return next((seconds for seconds, loss in curve if loss <= goal), None)


def print_table(args):
    results = []
    for program in PROGRAMS:
        path = os.path.join(args.folder, f"{program}.json")
        if os.path.exists(path):
            with open(path) as file:
                results.append(json.load(file))
    reached = [min(loss for _, loss in result["curve"]) for result in results if result["curve"]]
    goal = max(reached)
    print(f"held-out log-loss that all with a tree reach: {goal:.5f}; CPU seconds, one thread")
    print("program\tbefore the first tree\tto that loss\tbest loss\tto the best\ttrees\tpeak MB\tleaves\trows/s")
    for result in results:
        if not result["curve"]:
            print(f"{result['program']}\tended while {result['stage']}\t\t\t\t\t{result['memory']:.0f}")
            continue
        seconds, best = min(result["curve"], key=lambda point: point[1])
        print(
            f"{result['program']}\t{result['before']:.1f}\t{time_to(result['curve'], goal):.1f}\t{best:.5f}\t{seconds:.1f}"
            f"\t{len(result['curve'])}\t{result['memory']:.0f}\t{result.get('leaves')}\t{result.get('rate') or 0:.0f}"
        )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    data = verbs.add_parser("generate", help="make the data")
    data.add_argument("folder")
    data.add_argument("--rows", type=int, default=20000, help="training rows")
    data.add_argument("--dev-rows", type=int, default=5000, help="held-out rows")
    data.add_argument("--features", type=int, default=50000, help="columns")
    data.add_argument("--conjunctions", type=int, default=200, help="compound features behind the labels")
    data.add_argument("--seed", type=int, default=1)
    data.set_defaults(verb=write_data)
    training = verbs.add_parser("run", help="run programs")
    training.add_argument("folder")
    training.add_argument("programs", nargs="+", choices=PROGRAMS)
    training.add_argument("--seconds", type=float, default=1500, help="limit of a library's training, CPU seconds")
    training.add_argument("--rounds", type=int, default=2000, help="limit of a library's trees")
    training.add_argument("--patience", type=int, default=30, help="a library ends after so many trees that do not help")
    training.add_argument("--lam", type=float, default=1.0, help="where boughs ends its path")
    training.add_argument("--boughs-options", default="", help="further options of `boughs learn train`")
    training.add_argument("--boughs", default=os.path.join(ROOT, "target/release/boughs"), help="the binary")
    training.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    training.set_defaults(verb=run)
    table = verbs.add_parser("table", help="print what the programs reached")
    table.add_argument("folder")
    table.set_defaults(verb=print_table)
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse_arguments()
    arguments.verb(arguments)
