"""Sentences with two swapped parts, and mere changes of word order."""

from __future__ import annotations

import pytest

from memoranda.profile.optimization.essential_facts import restates, turned
from tables import each

TURNED = [
    ("Copy the config from staging to production", "Copy the config from production to staging"),
    ("The worker calls the API over gRPC", "The API calls the worker over gRPC"),
    ("Deploy staging before production", "Deploy production before staging"),
    ("Run migrations before deploying the shop", "Deploy the shop before running migrations"),
    ("Convert euros to dollars in reports", "Convert dollars to euros in reports"),
    ("orders depend on customers in the schema", "customers depend on orders in the schema"),
    ("The cache is filled from the database", "The database is filled from the cache"),
    ("Ana reviews Bo's changes", "Ana is reviewed by Bo after changes"),
]
SAME = [
    ("In CI, run the linter first", "Run the linter first in CI"),
    ("Use UTC for timestamps in logs", "For timestamps in logs use UTC"),
    ("Run make lint before each commit", "Before committing, run make lint"),
    ("Use pnpm for installing packages here", "Always install packages with pnpm here"),
    ("Store dates and times in UTC", "Store times and dates in UTC"),
    (
        "The team reviews each pull request before merging",
        "Every pull request is reviewed by the team before it is merged",
    ),
]


@each(("one", "other"), TURNED)
def test_swapped_things_change_the_meaning(one: str, other: str) -> None:
    assert turned(one, other)
    assert turned(other, one)


@each(("one", "other"), SAME)
def test_another_order_of_clauses_is_equivalent(one: str, other: str) -> None:
    assert not turned(one, other)
    assert not turned(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user prefers tabs to spaces", "Prefers tabs over spaces"),
        ("Run make lint before each commit", "Run make lint before every commit"),
    ],
)
def test_preference_and_each_are_read_in_either_wording(one: str, other: str) -> None:
    assert restates(one, other)
