"""What the tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

# One of the checks of scikit-learn asks for it, and scipy looks when it is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

import pytest

import boughs

#: Running text of our own, with characters of one to four bytes, quotation marks, brackets and abbreviations.
TEXT = (
    "The old shop sells umbrellas. Dr. Gray's café — \"the best\" — opened at 5 p.m. in the U.S. 😀\n\n"
    "We don't (really) know who wrote it. The 木 tree bends."
)


@pytest.fixture(scope="session")
def parser() -> boughs.Parser:
    return boughs.load()


@pytest.fixture(scope="session")
def grammar() -> boughs.Parser:
    """A parser of another kind, and fast."""
    return boughs.train("pcfg", train="@sample/howto", progress=False)


@pytest.fixture(scope="session")
def document(parser: boughs.Parser) -> boughs.Document:
    return parser(TEXT)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of Ray, on this machine, of one host; tests add others."""
    import ray
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()
