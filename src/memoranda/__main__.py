"""Entry point of ``python -m memoranda``: the ``memoranda`` command."""

from __future__ import annotations

from memoranda.cli import main

if __name__ == "__main__":
    main()
