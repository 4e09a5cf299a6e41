"""Redaction rules for keys of specific services, by service name or format.

Neither the names (``DATADOG_API``, ``discord_bot``) nor the values of the settings would otherwise
indicate a secret. Each format is stated by the service, by a public rule of a scanner, or by keys
in public files.
"""

from __future__ import annotations

from memoranda.capture.redaction.rule_patterns import (
    LEFT,
    QUOTE,
    SEPARATOR,
    SecretRule,
    unattached,
)

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
_LOWER_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

VENDOR_SETTINGS: tuple[SecretRule, ...] = (
    SecretRule(
        "vendor-setting",
        rf"{_NAME}{SEPARATOR}{QUOTE}?([\w:/+.=-]{{20,}})",
        check="random",
        trace=_TRACE,
    ),
    SecretRule(
        "vendor-setting", rf"{_NAME}{SEPARATOR}{QUOTE}?({_UUID})\b", check="present", trace=_TRACE
    ),
)

AGENT_SERVICES: tuple[SecretRule, ...] = (
    SecretRule("mem0", unattached(r"m0-[A-Za-z0-9]{40}\b"), ("m0-",)),
    SecretRule(
        "agent-memory",
        unattached(r"(?:hsk-|mem0_|brv_|retaindb_)[A-Za-z0-9]{16,}"),
        ("hsk-", "mem0_", "brv_", "retaindb_"),
        check="entropy",
    ),
    SecretRule("voyage", unattached(r"pa-[\w-]{40,}"), ("pa-",), check="entropy"),
    SecretRule("runpod", unattached(r"rpa_[A-Za-z0-9]{30,}"), ("rpa_",)),
    SecretRule("context7", r"ctx7sk-[\w-]{20,}", ("ctx7sk-",)),
    SecretRule(
        "modal",
        unattached(r"[aw][ks]-[A-Za-z0-9]{22}\b"),
        ("ak-", "as-", "wk-", "ws-"),
        check="entropy",
    ),
    SecretRule("letta", r"sk-let-[\w+/-]{40,}={0,2}", ("sk-let-",)),
    # The base64 of a UUID in JSON, and a signature.
    SecretRule("zep", r"z_1dWlkIjoi[\w-]{20,}\.[\w-]{40,}", ("z_1dWlkIjoi",)),
    SecretRule("supermemory", unattached(r"sm_[A-Za-z0-9]{22}_[A-Za-z0-9]{40,}\b"), ("sm_",)),
    SecretRule("wandb", r"wandb_v1_\w{40,}", ("wandb_v1_",)),
    SecretRule("browserbase", unattached(r"bb_live_[\w-]{20,}"), ("bb_live_",), check="entropy"),
    SecretRule("cursor", unattached(r"key_[0-9a-f]{64}\b"), ("key_",)),
    SecretRule("daytona", unattached(r"dtn_[0-9a-f]{64}\b"), ("dtn_",)),
    SecretRule("composio", unattached(r"ak_[\w-]{20}\b"), ("ak_",), check="entropy"),
    SecretRule(
        "helicone",
        rf"(?i)sk-helicone-(?:[a-z]{{2,5}}-)?[a-z0-9]{{7}}(?:-[a-z0-9]{{7}}){{3}}(?:-{_LOWER_UUID})?",
        ("sk-helicone-",),
    ),
    SecretRule("inngest", r"signkey-[a-z]{2,12}-[0-9a-f]{32,}", ("signkey-",)),
    SecretRule(
        "trigger",
        unattached(r"tr_(?:dev|prod|stg|preview)_[A-Za-z0-9]{12,}\b"),
        ("tr_dev_", "tr_prod_", "tr_stg_", "tr_preview_"),
        check="entropy",
    ),
    SecretRule("unkey", unattached(r"unkey_[A-Za-z0-9]{22,24}\b"), ("unkey_",), check="entropy"),
    SecretRule(
        "infisical",
        unattached(rf"st\.(?:[0-9a-f]{{24}}|{_LOWER_UUID})(?:\.[0-9a-f]{{32}}){{2}}\b"),
        trace=r"st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}",
    ),
    SecretRule(
        "lob", unattached(r"(?:live|test)_[0-9a-f]{35}\b"), trace=r"(?:live|test)_[0-9a-f]{35}"
    ),
    SecretRule(
        "convex",
        rf"{LEFT}(?:prod|dev|preview|project):[\w:-]{{3,80}}\|([\w+/-]{{40,}}={{0,2}})",
        trace=r"(?:prod|dev|preview|project):[\w:-]{3,80}\|",
    ),
)
