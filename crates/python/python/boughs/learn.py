"""boughs in the idioms of scikit-learn: boosted decision trees over sparse features of value 0 or 1.

>>> from boughs.learn import BoostedTreesClassifier
>>> model = BoostedTreesClassifier(penalty=0.01).fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["yes", "no", "no", "no"])
>>> model.predict([[1, 0]])
array(['yes'], dtype='<U3')
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Literal

from boughs import _boughs
from boughs.errors import ArgumentError
from boughs.extras import extra
from boughs.training import settings_of

with extra("learn"):
    import numpy as np
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

__all__ = ["BoostedTreesClassifier", "PathPoint", "Reason"]


@dataclass(frozen=True)
class PathPoint:
    """Where the path of penalties stood: how many trees there were, and how many leaves that are not zero."""

    penalty: float
    trees: int
    active: int


@dataclass(frozen=True)
class Reason:
    """What adds to a score: features, each with whether it is 1; none for what is there by default."""

    conditions: tuple[tuple[str, bool], ...]
    weight: float

    def __str__(self) -> str:
        holds = ", and ".join(name if is_one else f"not {name}" for name, is_one in self.conditions)
        return f"{self.weight:+.3f}  {holds or 'by default'}"


class BoostedTreesClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Decision trees boosted along a path of falling penalties (Turian & Melamed 2005, 2006).

    Two classes have one classifier, more have one each, against all others.

    Args:
        method: ``l1`` for l1-regularised boosting (2006), ``z`` for boosting by reductions of Z (2005).
        penalty: Where the path ends. The loss is a sum over rows, so that larger data bear a larger penalty.
        decay: By which factor the penalty is lowered at each root.
        max_trees, max_active, max_depth: The most trees, leaves that are not zero, and splits from the root to a leaf.
        sample_size: Rows that are looked at for each tree: 0 for all, else at least 100.
        binarize: Features above this are 1 and others 0; without it they must be 0 or 1 already.
        random_state: Decides the samples of rows.
        n_jobs: Threads; the result does not depend on it.

    Attributes:
        classes_: The classes.
        path_: The path of penalties, a point for each tree.
        n_features_in_: The number of features.
    """

    def __init__(
        self,
        *,
        method: Literal["l1", "z"] = "l1",
        penalty: float = 0.1,
        decay: float | None = None,
        max_trees: int | None = None,
        max_active: int | None = None,
        max_depth: int | None = None,
        sample_size: int | None = None,
        binarize: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.penalty = penalty
        self.decay = decay
        self.max_trees = max_trees
        self.max_active = max_active
        self.max_depth = max_depth
        self.sample_size = sample_size
        self.binarize = binarize
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _settings(self) -> dict[str, Any]:
        if self.method not in ("l1", "z"):
            raise ArgumentError(f"expected the method l1 or z, found {self.method!r}", hint="leave it out for l1")
        learner = {
            "final_penalty" if self.method == "l1" else "final_threshold": float(self.penalty),
            "decay": self.decay,
            "max_trees": self.max_trees,
            "max_active": self.max_active,
            "max_depth": self.max_depth,
            "sample_size": self.sample_size,
        }
        state = self.random_state
        seed = 0 if state is None else int(check_random_state(state).randint(2**31 - 1))
        return settings_of({"learner": {self.method: learner}, "seed": seed})

    def _rows(self, X: Any) -> sparse.csr_matrix:
        """A matrix whose entries are all 1."""
        if self.binarize is None:
            X = sparse.csr_matrix(X)
            if not np.isin(X.data, (0, 1)).all():
                raise ArgumentError(
                    "expected features of value 0 or 1, found others",
                    hint="set binarize to a threshold, or make one feature of each range of values",
                )
            rows = X != 0
        else:
            rows = X > self.binarize
        rows = sparse.csr_matrix(rows)
        rows.eliminate_zeros()
        rows.sort_indices()
        return rows

    @staticmethod
    def _plain(rows: sparse.csr_matrix) -> dict[str, Any]:
        return {"ends": rows.indptr[1:].tolist(), "columns": rows.indices.astype("<u4").tobytes()}

    def _labelled(self, X: Any, y: Any, weights: Any) -> dict[str, Any]:
        classes = np.searchsorted(self.classes_, y)
        return {"rows": self._plain(self._rows(X)), "classes": classes.tolist(), "weights": weights.tolist()}

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, dev: tuple[Any, Any] | None = None
    ) -> BoostedTreesClassifier:
        """Learns from rows. With ``dev``, other rows and their classes, the path is cut where their loss is least."""
        X, y = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ArgumentError("expected at least 2 classes, found 1 class", hint="give rows of other classes")
        held_out = None
        if dev is not None:
            dev_X, dev_y = validate_data(self, dev[0], dev[1], accept_sparse="csr", reset=False)
            unknown = np.setdiff1d(dev_y, self.classes_)
            if len(unknown) > 0:
                raise ArgumentError(
                    f"expected the classes of the training rows in dev, found {unknown[0]!r}", hint="leave such rows out"
                )
            held_out = self._labelled(dev_X, dev_y, np.ones(len(dev_y)))
        self.model_ = _boughs.fit_classifier(
            self._labelled(X, y, weights),
            held_out,
            self.n_features_in_,
            len(self.classes_),
            self._settings(),
            self._threads(),
            lambda report: None,
        )
        return self

    def _threads(self) -> int | None:
        return None if self.n_jobs is None or self.n_jobs < 1 else self.n_jobs

    def _predict(self, rows: sparse.csr_matrix, probabilities: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
        found = self.model_.predict(self._plain(rows), probabilities, self._threads())
        return np.frombuffer(found, dtype="<f8").reshape(rows.shape[0], len(self.classes_)).copy()

    def _checked(self, X: Any) -> sparse.csr_matrix:
        """Rows to predict, if there is a model and they have its features."""
        check_is_fitted(self)
        return self._rows(validate_data(self, X, accept_sparse="csr", reset=False))

    def predict_proba(self, X: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The probability of each class."""
        return self._predict(self._checked(X), True)

    def decision_function(self, X: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The score of each class; of two that of the second."""
        scores = self._predict(self._checked(X), False)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The likeliest class."""
        scores = self._predict(self._checked(X), False)
        return self.classes_[np.argmax(scores, axis=1)]  # type: ignore[no-any-return]

    @property
    def path_(self) -> list[PathPoint]:
        """The path of penalties, with all trees and leaves up to each."""
        check_is_fitted(self)
        trees = zip(self.model_.penalties(), self.model_.active())
        grown = sorted(((p, a) for penalties, active in trees for p, a in zip(penalties, active)), reverse=True)
        total = itertools.accumulate(active for _, active in grown)
        return [
            PathPoint(penalty, number, so_far)
            for number, ((penalty, _), so_far) in enumerate(zip(grown, total), start=1)
        ]

    def at(self, penalty: float) -> BoostedTreesClassifier:
        """The same classifier as it stood when its penalty had fallen to ``penalty``."""
        from sklearn.base import clone

        check_is_fitted(self)
        earlier: BoostedTreesClassifier = clone(self)
        earlier.__dict__.update({name: value for name, value in self.__dict__.items() if name.endswith("_")})
        earlier.model_ = self.model_.at(penalty)
        earlier.penalty = penalty
        return earlier

    def explain(self, X: Any, label: Any = None) -> list[list[Reason]]:
        """For each row why a class has its score, the likeliest by default. The weights add up to the score."""
        rows = self._checked(X)
        best = np.argmax(self._predict(rows, False), axis=1)
        if label is not None:
            found = np.flatnonzero(self.classes_ == label)
            if len(found) == 0:
                raise ArgumentError(f"there is no class {label!r}", hint=f"there are {list(self.classes_)}")
            best = np.full(rows.shape[0], found[0])
        names = getattr(self, "feature_names_in_", None)

        def name(column: int) -> str:
            return f"x{column}" if names is None else str(names[column])

        return [
            [
                Reason(tuple((name(column), is_one) for column, is_one in conditions), weight)
                for conditions, weight in self.model_.explain(rows[number].indices.tolist(), int(best[number]))
            ]
            for number in range(rows.shape[0])
        ]
