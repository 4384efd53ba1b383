"""The learner as an estimator of scikit-learn."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import boughs
from boughs.learn import BoostedTreesClassifier


def data(rows: int = 400, seed: int = 1) -> tuple[Any, Any]:
    """Rows of which those with x0 and without x1 are positive, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 20)) < 0.3
    y = (X[:, 0] & ~X[:, 1]) ^ (rng.random(rows) < 0.05)
    return X.astype(int), y


@parametrize_with_checks([BoostedTreesClassifier(binarize=0.0, random_state=0)])
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("method", ["l1", "z"])
def test_it_learns(method: Any) -> None:
    X, y = data()
    test_X, test_y = data(seed=2)
    model = BoostedTreesClassifier(method=method, penalty=5.0).fit(X, y)
    assert model.score(test_X, test_y) > 0.9
    same = BoostedTreesClassifier(method=method, penalty=5.0, n_jobs=1).fit(sparse.csr_matrix(X), y)
    assert np.array_equal(model.predict_proba(test_X), same.predict_proba(sparse.csc_matrix(test_X)))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), model.decision_function(X))
    penalties = [point.penalty for point in model.path_]
    assert penalties == sorted(penalties, reverse=True) and model.path_[-1].trees == len(penalties) > 1
    early = model.at(penalties[0])
    assert len(early.path_) < len(penalties) and early.score(test_X, test_y) > 0.5
    assert len(pickle.loads(pickle.dumps(early)).path_) == len(early.path_)


def test_reasons_add_up_to_the_score() -> None:
    X, y = data()
    table = pandas.DataFrame(X, columns=[f"word{number}" for number in range(20)])
    model = BoostedTreesClassifier(penalty=5.0).fit(table, y)
    for row, score in zip(model.explain(table[:10], label=True), model.decision_function(table[:10])):
        assert sum(reason.weight for reason in row) == pytest.approx(score, abs=1e-4)
    reasons = [reason for row in model.explain(table[:50]) for reason in row]
    assert any(("word0", True) in reason.conditions for reason in reasons) and "word0" in str(reasons)
    with pytest.raises(boughs.ArgumentError, match="no class"):
        model.explain(table[:1], label="maybe")


def test_development_rows_cut_the_path() -> None:
    X, y = data()
    free = BoostedTreesClassifier(penalty=0.001, sample_size=0).fit(X, y)
    cut = BoostedTreesClassifier(penalty=0.001, sample_size=0).fit(X, y, dev=data(seed=3))
    assert len(cut.path_) < len(free.path_)
    with pytest.raises(boughs.ArgumentError, match="expected the classes of the training rows"):
        cut.fit(X, y.astype(int), dev=(X[:1], [2]))


def test_weights_count() -> None:
    X, y = data()
    twice = BoostedTreesClassifier(sample_size=0).fit(np.vstack([X, X[:200]]), np.concatenate([y, y[:200]]))
    heavy = BoostedTreesClassifier(sample_size=0).fit(X, y, sample_weight=np.repeat([2.0, 1.0], 200))
    assert np.allclose(twice.predict_proba(X), heavy.predict_proba(X), atol=1e-6)


def test_many_classes_and_pipelines() -> None:
    texts = ["red apple", "green apple", "red car", "green car", "old song", "new song"] * 10
    labels = ["fruit", "fruit", "car", "car", "music", "music"] * 10
    model = make_pipeline(CountVectorizer(binary=True), BoostedTreesClassifier(penalty=0.1))
    search = GridSearchCV(model, {"boostedtreesclassifier__penalty": [0.1, 1.0]}, cv=2).fit(texts, labels)
    assert list(search.predict(["blue song", "old car"])) == ["music", "car"]
    assert search.predict_proba(["old car"]).sum() == pytest.approx(1)


def test_what_is_not_binary_is_refused() -> None:
    X, y = data()
    with pytest.raises(boughs.ArgumentError, match="value 0 or 1") as caught:
        BoostedTreesClassifier().fit(X * 2, y)
    assert "binarize" in (caught.value.hint or "")
    for wrong, message in [({"method": "l2"}, "l1 or z"), ({"penalty": -1.0}, "found -1"), ({"decay": 2.0}, "found 2")]:
        with pytest.raises(boughs.ArgumentError, match=message):
            clone(BoostedTreesClassifier(**wrong)).fit(X, y)
