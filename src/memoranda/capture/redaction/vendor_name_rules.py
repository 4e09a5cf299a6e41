"""Redaction rules for settings that are secret because of a vendor's name.

Neither their names (``DATADOG_API``, ``discord_bot``) nor their values indicate a secret otherwise.
"""

from __future__ import annotations

from memoranda.capture.redaction.rule_patterns import QUOTE, SEPARATOR, SecretRule

_VENDORS = (
    "adafruit",
    "algolia",
    "artifactory",
    "beamer",
    "bintray",
    "bitbucket",
    "bittrex",
    "cloudflare",
    "cloudinary",
    "codecov",
    "coinbase",
    "confluent",
    "contentful",
    "datadog",
    "discord",
    "droneci",
    "dropbox",
    "fastly",
    "finicity",
    "finnhub",
    "freshbooks",
    "gitter",
    "gocardless",
    "heroku",
    "hubspot",
    "intercom",
    "jfrog",
    "kraken",
    "kucoin",
    "launchdarkly",
    "mailchimp",
    "mailgun",
    "mattermost",
    "messagebird",
    "netlify",
    "new_?relic",
    "nytimes",
    "okta",
    "plaid",
    "private_?ai",
    "rapidapi",
    "sendbird",
    "sentry",
    "sonar",
    "squarespace",
    "sumo(?:logic)?",
    "telegram",
    "twilio",
    "twitter",
    "zendesk",
)
_KINDS = "access|api|auth|bot|delivery|identity|key|license|licence|login|private|signing"
_NAME = rf"(?i:(?:{'|'.join(_VENDORS)})(?:[_.-]\w{{1,12}}){{0,2}}?[_.-](?:{_KINDS})(?:[_.-]?key)?)"
_TRACE = rf"(?i:{'|'.join(_VENDORS)})[_.-]"
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

VENDOR_SETTINGS: tuple[SecretRule, ...] = (
    SecretRule(
        "vendor-setting",
        (),
        rf"{_NAME}{SEPARATOR}{QUOTE}?([\w:/+.=-]{{20,}})",
        1,
        "random",
        trace=_TRACE,
    ),
    SecretRule(
        "vendor-setting", (), rf"{_NAME}{SEPARATOR}{QUOTE}?({_UUID})\b", 1, "present", trace=_TRACE
    ),
)
