"""What goes wrong: a class for each kind of error, all below :class:`Error`."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """An error with its place and, where there is one, a remedy.

    ``str(error)`` has everything; the attributes have it in parts, ``None`` where nothing is known.
    """

    #: What was expected and what was found.
    problem: str
    #: What you can do about it.
    hint: str | None
    #: The file, ``<stdin>`` for standard input.
    file: str | None
    #: The line, counted from 1.
    line: int | None
    #: The column, in characters, counted from 1.
    column: int | None
    #: The number of the tree or sentence within its file, counted from 1.
    tree: int | None

    def __init__(
        self,
        message: str = "",
        *,
        problem: str | None = None,
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        tree: int | None = None,
    ) -> None:
        # Where the parts are given, the message is the whole.
        super().__init__(f"{message} ({hint})" if problem is None and hint is not None else message)
        self.problem = message if problem is None else problem
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column
        self.tree = tree

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, dict(self.__dict__))


def _restore(kind: type[Error], args: tuple[str, ...], fields: dict[str, Any]) -> Error:
    error = kind()
    error.args = args
    error.__dict__.update(fields)
    return error


class FileError(Error, OSError):
    """The operating system refused: no such file, no permission, disk full."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class FormatError(Error, ValueError):
    """The input breaks the rules of its format."""


class EncodingError(Error, ValueError):
    """The input is not text in the expected encoding."""


class DiscontinuousError(Error, ValueError):
    """A constituent with gaps, which a tree cannot hold."""


class MismatchError(Error, ValueError):
    """Two inputs that belong together do not fit: other sentences, other words."""


class ArgumentError(Error, ValueError):
    """A setting is out of its range, or there is no such setting."""


class TooLargeError(Error, ValueError):
    """The input exceeds a limit of the data structures."""


class NumericError(Error, ArithmeticError):
    """A computation met a number that is not finite."""
