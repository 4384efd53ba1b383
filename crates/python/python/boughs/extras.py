"""Other packages, which parts of this one work with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Says of a package that is missing how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error.msg}: pip install 'boughs[{name}]'"
        raise ModuleNotFoundError(message, name=error.name, path=error.path) from None
