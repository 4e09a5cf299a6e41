"""Cross-validate the classifier of orders over sets of labelled texts."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from fit_orders import (
    DATA,
    PARAGRAPHS,
    STEPS,
    LabelledText,
    fit,
    labelled,
    ordinary_paragraphs,
)
from measuring.report import Report, parser, progress
from memoranda.quarantine.order_detection import suspicion
from memoranda.quarantine.order_model import BUCKETS, OrderWeights

NEUTRAL = OrderWeights((0.0,) * BUCKETS, -1.0)
"""Weights with which only the signs decide: no passage is likely an order."""


def share(texts: Sequence[LabelledText], weights: OrderWeights) -> float:
    """Return the share of texts that are quarantined."""
    return sum(suspicion(one.text, weights) is not None for one in texts) / max(1, len(texts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Leave out each set in turn."""
    options_of = parser(__doc__ or "")
    options_of.add_argument("--only", default="", help="sets to leave out, by letter")
    options_of.add_argument("--steps", type=int, default=STEPS, help="of each fit")
    options_of.add_argument("--paragraphs", type=int, default=PARAGRAPHS, help="of packages")
    options = options_of.parse_args(arguments)
    report = Report("orders", vars(options))
    texts = labelled(DATA)
    ordinary = ordinary_paragraphs(options.paragraphs)
    for name in options.only or sorted({one.set for one in texts}):
        progress(f"without set {name}")
        weights = fit([one for one in texts if one.set != name], ordinary, options.steps)
        own = [one for one in texts if one.set == name]
        for kind, is_order in (("orders", True), ("ordinary texts", False)):
            chosen = [one for one in own if one.is_order is is_order]
            report.add(f"set {name}", kind, len(chosen))
            report.add(f"set {name}", f"{kind} quarantined by the signs", share(chosen, NEUTRAL))
            report.add(f"set {name}", f"{kind} quarantined with the model", share(chosen, weights))
    return report.finish(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
