"""Trains XGBoost or LightGBM on rows in svmlight format, one thread, and prints its version and then a line of JSON after every tree.

    python3 boosters.py xgboost|lightgbm train.svm dev.svm TREES PATIENCE RATE

Ends after PATIENCE trees that do not lower the log-loss on the development rows. Seconds are CPU time from the start of the
program, reading included and measuring not. Exit code 3: the library is not installed.
"""

import json
import sys
import time

try:
    import numpy as np
    import scipy.sparse as sp

    if sys.argv[1] == "xgboost":
        import xgboost
    else:
        import lightgbm
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)


def read(path, num_columns=0):
    """A CSR matrix and labels 0 or 1: the second of two labels, by their order, is 1."""
    labels, indptr, indices = [], [0], []
    with open(path) as file:
        for line in file:
            label, *active = line.split()
            labels.append(label)
            indices.extend(int(word.split(":")[0]) for word in active)
            indptr.append(len(indices))
    width = max(num_columns, max(indices, default=0) + 1)
    values = np.ones(len(indices), np.float32)
    return sp.csr_matrix((values, indices, indptr), shape=(len(labels), width)), labels


def log_loss_and_accuracy(probabilities, y):
    chosen = np.where(y == 1, probabilities, 1 - probabilities)
    return float(-np.mean(np.log(np.maximum(chosen, 1e-15)))), float(100 * np.mean((probabilities > 0.5) == (y == 1)))


class XgboostTrainer:
    def __init__(self, x, y, dev_x, rate):
        settings = {"objective": "binary:logistic", "tree_method": "hist", "eta": rate, "max_depth": 6, "nthread": 1}
        self.train, self.dev_x = xgboost.DMatrix(x, y, nthread=1), dev_x
        self.booster, self.num_trees = xgboost.Booster(settings, [self.train]), 0
        self.version = xgboost.__version__

    def add_tree(self):
        self.booster.update(self.train, self.num_trees)
        self.num_trees += 1
        return True

    def predict(self):
        return self.booster.inplace_predict(self.dev_x)

    def num_leaves(self):
        return sum(tree.count("leaf=") for tree in self.booster.get_dump())


class LightgbmTrainer:
    def __init__(self, x, y, dev_x, rate):
        settings = {"objective": "binary", "learning_rate": rate, "num_leaves": 31, "num_threads": 1, "verbose": -1}
        train = lightgbm.Dataset(x, y, params=settings).construct()
        self.booster, self.dev_x = lightgbm.Booster(settings, train), dev_x
        self.version = lightgbm.__version__

    def add_tree(self):
        return not self.booster.update()

    def predict(self):
        return self.booster.predict(self.dev_x)

    def num_leaves(self):
        return sum(tree["num_leaves"] for tree in self.booster.dump_model()["tree_info"])


def main():
    library, train, dev, trees, patience, rate = sys.argv[1:]
    x, labels = read(train)
    dev_x, dev_labels = read(dev, x.shape[1])
    second = max(set(labels), key=float)
    y, dev_y = (np.array([label == second for label in each], np.int32) for each in (labels, dev_labels))
    make = XgboostTrainer if library == "xgboost" else LightgbmTrainer
    trainer = make(x, y, dev_x[:, : x.shape[1]], float(rate))
    print(library, trainer.version, flush=True)
    seconds, losses = time.process_time(), []
    for number in range(1, int(trees) + 1):
        start = time.process_time()
        is_going_on = trainer.add_tree()
        seconds += time.process_time() - start
        loss, accuracy = log_loss_and_accuracy(trainer.predict(), dev_y)
        losses.append(loss)
        step = {"trees": number, "active": trainer.num_leaves(), "log-loss": loss, "accuracy": accuracy, "seconds": seconds}
        print(json.dumps(step), flush=True)
        if not is_going_on or losses.index(min(losses)) < len(losses) - int(patience):
            return


main()
