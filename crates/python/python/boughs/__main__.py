"""The command ``boughs``: the same program as that of the Rust package."""

from __future__ import annotations

import signal
import sys

from boughs import _boughs


def main() -> None:
    """Runs the program with the arguments of this process, and ends the process."""
    # The program listens for Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_boughs.main(["boughs", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
