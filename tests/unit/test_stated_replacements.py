"""Statements that name what ended and what comes in its place, and pairs that look alike."""

from __future__ import annotations

from contract.records import Records
from memoranda.memories.comparison import ComparisonVerdict, compared
from memoranda.statements import Statement, conflict, supersedes
from tables import each

RECORDS = Records()
ENDS = {ComparisonVerdict.SUPERSEDES, ComparisonVerdict.REPLACES}

REPLACED = [
    (
        "The staging database runs on Postgres 14.",
        "We upgraded the staging database from Postgres 14 to Postgres 16.",
    ),
    ("Our CI runs on Jenkins.", "We migrated CI from Jenkins to GitHub Actions."),
    (
        "The API base URL is https://api.old.example.com.",
        "The API base URL is now https://api.new.example.com.",
    ),
    ("Alice is the owner of the billing service.", "Bob took over the billing service from Alice."),
    ("The standup is at 9:30.", "The standup was pushed back to 10:00."),
    ("We use Redux for state.", "We dropped Redux in favour of Zustand."),
    ("I live in Berlin.", "I moved from Berlin to Madrid last month."),
    ("The feature flag new_checkout is off.", "The feature flag new_checkout has been turned on."),
    ("Dana owns the search index.", "Dana handed the search index over to Emil."),
    (
        "Dana is responsible for the search index.",
        "Emil replaced Dana as owner of the search index.",
    ),
    ("We use Webpack for bundling.", "We replaced Webpack with Vite."),
    ("The retro is on Monday.", "The retro was moved from Monday to Thursday."),
    ("The retro is at 3 pm.", "The retro has been brought forward to 2 pm."),
    ("Logs are stored in Elasticsearch.", "Logs were moved from Elasticsearch to Loki in May."),
    ("The main repository is acme/shop.", "The main repository is now acme/store."),
    ("Our queue is RabbitMQ.", "RabbitMQ was replaced by Kafka."),
    ("The debug flag is enabled.", "The debug flag has been switched off."),
    ("The dark_mode flag is disabled.", "We enabled the dark_mode flag."),
    ("The upload limit is 5 MB.", "The upload limit was raised from 5 MB to 20 MB."),
    ("We use Travis for CI.", "We switched from Travis to CircleCI for CI."),
    ("We migrated CI from Bamboo to Jenkins.", "We migrated CI from Jenkins to GitHub Actions."),
    ("The team channel is #shop-dev.", "The team channel was renamed to #shop-eng."),
    ("The config file is settings.ini.", "The config file is now settings.toml."),
]

LOOK_ALIKE = [
    ("Our CI runs on Jenkins.", "We migrated the deploy scripts from Jenkins to GitHub Actions."),
    ("We use Jest for unit tests.", "We migrated the browser tests from Jest to Vitest."),
    (
        "The production database runs on Postgres 14.",
        "We upgraded the staging database from Postgres 14 to Postgres 16.",
    ),
    (
        "The database runs on Postgres 14.",
        "We upgraded the staging database from Postgres 14 to Postgres 16.",
    ),
    ("Alice is the owner of the billing service.", "Bob took over the search service from Alice."),
    ("Alice wrote the billing service.", "Bob took over the billing service from Alice."),
    (
        "Alice is on the billing service team.",
        "Bob took over the billing service on-call from Alice.",
    ),
    ("Redux keeps the state in one object.", "We dropped Redux in favour of Zustand."),
    ("The customer uses Redux for state.", "We dropped Redux in favour of Zustand."),
    ("We use Redux in the mobile app.", "We dropped Redux in favour of Zustand in the web app."),
    ("Our CI runs on Jenkins.", "We want to migrate CI from Jenkins to GitHub Actions."),
    ("Our CI runs on Jenkins.", "We have not migrated CI from Jenkins to GitHub Actions."),
    ("Our CI runs on Jenkins.", "We almost migrated CI from Jenkins to GitHub Actions."),
    ("Our CI runs on Jenkins.", "We migrated some of CI from Jenkins to GitHub Actions."),
    ("Our CI runs on Jenkins.", "We migrated CI from Bamboo to Jenkins."),
    ("The standup is at 9:30.", "The demo was pushed back to 10:00."),
    ("The standup of the shop team is at 9:30.", "The standup was pushed back to 10:00."),
    ("The standup is at 9:30.", "The standup notes were pushed back to Git at 10:00."),
    ("The feature flag new_checkout is off.", "The feature flag old_checkout has been turned on."),
    (
        "The feature flag new_checkout is off.",
        "The feature flag new_checkout has been turned on in staging.",
    ),
    ("The light is off.", "The heater has been turned on."),
    ("The default branch is protected.", "The default branch was renamed to main."),
    ("The queue is slow.", "The queue was renamed to jobs."),
    ("The API is read-only.", "The API is now rate-limited."),
    (
        "The API base URL is https://api.example.com.",
        "The test API base URL is now https://test.example.com.",
    ),
    (
        "The docs URL is https://docs.example.com.",
        "The API base URL is now https://api.example.com.",
    ),
    ("Ana moved from Lima to Oslo.", "Bob moved from Lima to Porto."),
    ("I live in Lisbon.", "My sister moved from Lisbon to Porto."),
    ("Tickets are in Jira.", "We moved the roadmap from Jira to Notion."),
    ("The train goes from Graz to Vienna.", "We changed from Graz to Vienna time."),
    ("We use Postgres for storage.", "We moved the cache from Postgres to Redis."),
    ("The limit for guests is 5 MB.", "The upload limit was raised from 5 MB to 20 MB."),
    ("Alice is the owner of the billing service.", "Alice took over the billing service from Bob."),
    ("We use Webpack for bundling.", "The intern suggested we replaced Webpack with Vite."),
    ("The demo is on Monday.", "The review was postponed to Friday."),
    ("The launch is on Monday at the museum.", "The launch was postponed to Friday."),
    ("The debug flag is enabled.", "The debug flag has been documented."),
    ("The nightly job runs on Mondays.", "We moved the nightly report from Mondays to Fridays."),
    ("The flag is off.", "We may turn the flag on next week."),
    ("The cache is on.", "The cache warnings have been turned off."),
    ("The cache is off.", "The cache was turned on in staging."),
    ("The API is at v2/users.", "The API is now at v2/users and v3/users."),
    ("Bob is the owner of the search page.", "Alice inherited a search index from Bob."),
    ("The repository is tidy.", "The repository was renamed to acme/store."),
    ("We use Redis for caching.", "We replaced Redis with Valkey for sessions."),
    ("We use Redis for caching.", "They replaced Redis with Valkey."),
    ("Redis is fast.", "We replaced Redis with Valkey."),
    ("The release is at 9:30.", "The release was pushed to npm at 10:00."),
    ("The review is on Monday.", "The review was pushed back to the shop team on Friday."),
]


def verdict(old: str, new: str, cosine: float | None) -> ComparisonVerdict | None:
    found = compared(RECORDS.memory(None, old), RECORDS.memory(None, new), cosine)
    return found.verdict if found else None


@each(("old", "new"), REPLACED)
def test_a_named_successor_replaces_with_and_without_vectors(old: str, new: str) -> None:
    assert {verdict(old, new, cosine) for cosine in (None, 0.5, 0.85)} <= ENDS
    assert not supersedes(Statement.of(new), Statement.of(old), 0.85)


@each(("old", "new"), LOOK_ALIKE)
@each("cosine", [None, 0.5, 0.7])
def test_what_looks_like_a_successor_replaces_nothing(
    old: str, new: str, cosine: float | None
) -> None:
    assert verdict(old, new, cosine) not in ENDS
    assert not supersedes(Statement.of(old), Statement.of(new), 0.85)


def test_a_new_name_contradicts_a_plain_word_that_may_be_a_quality() -> None:
    found = conflict(
        Statement.of("The default branch is master."),
        Statement.of("The default branch was renamed to main."),
        0.0,
    )
    assert found is not None
    assert not found.certain
    assert verdict("The queue is slow.", "The queue was renamed to jobs.", 0.5) is None
