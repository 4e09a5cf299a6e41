r"""The redaction table: what a secret looks like, as data.

Patterns are RE2 and run on UTF-8 bytes read as Latin-1, so a class such as ``[^"]`` takes any byte.
They tolerate the places text comes from: terminal colour codes, percent escapes, JSON inside JSON.
A rule's name ends up in its placeholder, so it may not contain a word that makes a name sensitive
(``token``, ``key``, ``auth`` …): a second pass would take the placeholder for an assignment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memoranda.capture.redaction.sensitivity import KEY_KINDS, STRONG_WORDS, WEAK_WORDS, WHOLE_WORDS

Check = Literal["", "assigned", "setting", "literal", "given", "entropy", "luhn"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    The rule runs only on text that contains one of its keywords, which are literal; one in lower
    case stands for any case. A rule without keywords always runs. The secret is the numbered
    group, or the whole match for 0, and must pass the named check. Where that is ``assigned`` or
    ``setting``, group 1 is the name and group 2 the value, perhaps with its opening quote.
    """

    name: str
    keywords: tuple[str, ...]
    pattern: str
    group: int = 0
    check: Check = ""


# The sensitive words as patterns; whether a whole name is sensitive is judged in code. What follows
# a word may not continue it: "tokens", "author" and "passed" are other words.
_KEY = rf"(?:{'|'.join(KEY_KINDS)})[_.-]?keys?"
_WORD = "|".join((*STRONG_WORDS, *WEAK_WORDS, *WHOLE_WORDS, _KEY)).replace("_?", "[_.-]?")
_NAME = rf"((?i:{_WORD})(?:[A-Z0-9_.\-][\w.\-]*)?)"
_NAME_UPPER = rf"((?:{_WORD.upper()})(?:[0-9_][A-Z0-9_]*)?)"
_NAME_KEYWORDS = (
    *("pass", "pwd", "pw", "secret", "token", "credential", "auth", "bearer", "cookie", "sid"),
    *("otp", "psk", "sess", "key"),
)

# What may stand right before a secret that has no telling prefix: no word, or the end of an escape.
_LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]*m)"
_ANSI = r"(?:(?:\x1b|\\+(?:u001[bB]|x1[bB]|033|e))\[[0-9;]*m)*"
# White space, escaped or not, with the line numbers that file viewers put in front of each line.
_AFTER_NUMBER = r"(?:\xe2\x86\x92|\\+u2192|[:|\t])"
_GAP = rf"(?:(?:\s|\\+[nrt])+(?:\d+{_AFTER_NUMBER})?)+"
_LOGIN = rf"(?:{_GAP}(?:login|account){_GAP}\S+?)"
_ARGS = r"[ \t][^\r\n;|]*?"
_QUOTE = r"(?:\\*[\"'])"

_PLAIN = r"(?:[^\s\"'`\\,;&\x1b]|\\+[^\s\"'`\\,;&\x1bnrtbfu])"
_BARE = rf"{_PLAIN}{{3,}}[^\s\"'`\\,;&\x1b)\]}}>.:]"
_SHELL = r"(?:[^\s\"'`\\\x1b]|\\+[^\s\"'`\\\x1bnrtbfu])"
# Quoted values by how often the text was escaped: each time, n backslashes before a quote become
# 2n + 1, so an opening quote tells how its closing quote looks, and more backslashes mean a quote
# inside. No closing quote is needed: a value that was cut off is taken too.
_QUOTED = (
    "[bfruBFRU$@]{0,2}(?:"
    + "|".join(
        (
            r"\"(?:[^\"\\\r\n]|\\[^\r\n])*",
            r"\\\"(?:[^\"\\\r\n]|\\{2,}\"|\\+[^\"\\\r\n])*",
            r"\\{3}\"(?:[^\"\\\r\n]|\\{4,}\"|\\+[^\"\\\r\n])*",
            r"\\{7}\"(?:[^\"\\\r\n]|\\{8,}\"|\\+[^\"\\\r\n])*",
            r"\\{8,}\"(?:[^\"\\\r\n]|\\+[^\"\\\r\n])*",
            r"'(?:[^'\\\r\n]|\\[^\r\n])*",
            r"`[^`\r\n]*",
        )
    )
    + ")"
)
_VALUE = rf"({_QUOTED}|{_BARE})"
_SEPARATOR = (
    rf"{_ANSI}\\*[\"'`]?\]?{_ANSI}[ \t]*"
    rf"(?::[ \t]*[\w.\[\]|?]+[ \t]+=[ \t]|=>|:=|[:=]{{1,3}})[ \t]*{_ANSI}"
)
_WORD_VALUE = r"([^\s\"'`\\,;\x1b]+)"

_PRIVATE = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-{4,5}"
# Between a PEM header and its body: line breaks, escaped or not, line numbers, diff marks, quotes.
_PEM_NOISE = r"(?:[\s\"',+>|:.\-\d]|\\+[nrt]|\xe2\x86\x92|\\+u2192)*"
_PEM_BODY = r"(?:[A-Za-z0-9+/=]{16}|Proc-Type|DEK-Info|Version:|Comment:|Charset:)"


def _apart(pattern: str) -> str:
    """Require that the match does not continue a word; the match itself becomes group 1."""
    return f"{_LEFT}({pattern})"


_VENDORS: tuple[Rule, ...] = (
    Rule(
        "memoranda",
        ("memk_", "meml_", "mems_", "memo_"),
        r"mem[ks]_[a-z0-9_-]{1,63}\.[0-9a-f-]{36}\.[\w-]{20,}|meml_[\w-]{20,}"
        r"|memo_[0-9a-f-]{36}\.\d{10}\.[\w-]{20,}",
    ),
    Rule("aws", ("AKIA", "ASIA"), r"A[KS]IA[A-Z0-9]{16}[\s,:;|\"']{1,6}([\w/+]{40})", 1),
    Rule("aws", ("AKIA", "ASIA", "ABIA", "ACCA"), _apart(r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}\b"), 1),
    Rule(
        "aws-sts", ("IQoJb3JpZ2lu", "FwoGZXIvYXdz"), r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[\w+/=%-]{30,}"
    ),
    Rule(
        "aws-bedrock", ("ABSK", "bedrock-api-"), r"(?:ABSK[\w+/]{60}|bedrock-api-key-)[\w+/=-]{20,}"
    ),
    Rule(
        "github",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"gh[pousr]_\w{20,}(?:[.-][\w-]+)*|github_pat_\w{22,}",
    ),
    Rule(
        "gitlab",
        (
            *("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-"),
            *("gloas-", "glsoat-", "GR1348941"),
        ),
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-|GR1348941)[\w-]{20,}(?:\.\w+)*",
    ),
    Rule("anthropic", ("sk-ant-",), r"sk-ant-[\w-]{16,}"),
    Rule(
        "openai",
        ("sk-",),
        _apart(r"sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{20,}|[A-Za-z0-9]{20,})"),
        1,
    ),
    Rule("google", ("AIza",), r"AIza[\w-]{35}"),
    Rule("google-login", ("ya29.",), r"ya29\.[\w.-]{20,}"),
    Rule("google-login", ("GOCSPX-", "1//0"), _apart(r"(?:GOCSPX-[\w-]{20,}|1//0[\w-]{30,})"), 1),
    Rule(
        "slack",
        ("xox", "xapp-"),
        r"xox[abdeoprs][.-](?:[A-Za-z0-9]+-)*[\w.-]{10,}|xapp-\d-[\w-]{20,}",
    ),
    Rule(
        "slack-hook",
        ("hooks.slack",),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([\w/+-]{20,})",
        1,
    ),
    Rule("stripe", ("k_live_", "k_test_"), _apart(r"[rs]k_(?:live|test)_\w{10,}"), 1),
    Rule("stripe", ("whsec_",), r"whsec_[\w+/=]{16,}"),
    Rule("twilio", ("SK",), _apart(r"SK[0-9a-f]{32}\b"), 1),
    Rule("twilio", ("AC",), r"AC[0-9a-f]{32}[\s:,;\"'|]{1,6}([0-9a-f]{32})\b", 1),
    Rule("sendgrid", ("SG.",), _apart(r"SG\.[\w-]{16,32}\.[\w-]{16,64}"), 1),
    Rule("mailgun", ("key-",), _apart(r"key-[0-9a-f]{32}\b"), 1),
    Rule("mailchimp", ("-us",), _apart(r"[0-9a-f]{32}-us\d{1,2}\b"), 1),
    Rule("brevo", ("xkeysib-", "xsmtpsib-"), r"x(?:key|smtp)sib-[0-9a-f]{40,}(?:-\w+)?"),
    Rule("npm", ("npm_",), _apart(r"npm_[A-Za-z0-9]{30,}"), 1),
    Rule("pypi", ("pypi-AgE",), r"pypi-AgE[\w-]{20,}"),
    Rule("rubygems", ("rubygems_",), r"rubygems_[0-9a-f]{40,}"),
    Rule("crates", ("cio",), _apart(r"cio[A-Za-z0-9]{32}\b"), 1),
    Rule("nuget", ("oy2",), _apart(r"oy2[a-z0-9]{43}\b"), 1),
    Rule("docker", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{20,}"),
    Rule("huggingface", ("hf_", "api_org_"), _apart(r"(?:hf|api_org)_[A-Za-z0-9]{30,}"), 1),
    Rule("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{40,}"),
    Rule("shopify", ("shp",), r"shp(?:at|ca|pa|ss|tka)_[0-9A-Fa-f]{32}"),
    Rule("databricks", ("dapi",), _apart(r"dapi[0-9a-f]{32}(?:-\d+)?\b"), 1),
    Rule("vault", ("hvs.", "hvb.", "hvr."), _apart(r"hv[sbr]\.[\w-]{20,}"), 1),
    Rule("telegram", (":AA",), _apart(r"\d{8,10}:AA[\w-]{32,35}"), 1),
    Rule(
        "discord-hook",
        ("discord",),
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d+/[\w-]{40,})",
        1,
    ),
    Rule("discord", (), _apart(r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}"), 1),
    Rule(
        "azure-storage",
        ("accountkey", "sharedaccesskey"),
        r"(?i)(?:AccountKey|SharedAccessKey)[ \t]*=[ \t]*([\w+/]{30,}={0,2})",
        1,
    ),
    Rule("azure-login", ("Q~",), _apart(r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"), 1),
    Rule(
        "signed-url",
        ("sig=", "signature="),
        r"(?i)(?:[?&;]sig|x-(?:amz|goog)-signature)=([\w%+/=-]{20,})",
        1,
    ),
    Rule("heroku", ("HRKU-",), r"HRKU-[\w-]{30,}"),
    Rule("linear", ("lin_",), r"lin_(?:api|oauth|wh)_\w{30,}"),
    Rule("notion", ("secret_", "ntn_"), _apart(r"(?:secret|ntn)_[A-Za-z0-9]{40,}"), 1),
    Rule("figma", ("figd_", "figu_", "figo_"), r"fig[duo]_[\w-]{30,}"),
    Rule("supabase", ("sbp_",), _apart(r"sbp_[0-9a-f]{40}\b"), 1),
    Rule("supabase", ("sb_secret_",), r"sb_secret_[\w-]{20,}"),
    Rule("cloudflare", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    Rule("cloudflare", ("cfut_", "cfat_", "cfk_"), _apart(r"cf(?:ut|at|k)_\w{30,}"), 1),
    Rule("fly", ("fo1_", "fm1", "fm2_"), _apart(r"(?:fo1|fm1[ar]|fm2)_[\w+/=-]{30,}"), 1),
    Rule("doppler", ("dp.",), _apart(r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?\w{30,}"), 1),
    Rule("age", ("age-secret-",), r"(?i)AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{40,}"),
    Rule("newrelic", ("NRAK-", "NRII-", "NRJS-"), _apart(r"NR(?:AK|II|JS)-[\w-]{19,40}"), 1),
    Rule("newrelic", ("NRAL",), _apart(r"[0-9a-f]{36}NRAL\b"), 1),
    Rule("sentry", ("sntrys_", "sntryu_"), r"sntry[su]_[\w+/=-]{40,}"),
    Rule("grafana", ("glsa_", "glc_"), r"gl(?:sa|c)_[\w+/]{32,}={0,2}"),
    Rule("grafana", ("eyJrIjoi",), r"eyJrIjoi[\w+/]{50,}={0,2}"),
    Rule("terraform", (".atlasv1.",), r"[A-Za-z0-9]{10,20}\.atlasv1\.[\w=-]{40,}"),
    Rule("pulumi", ("pul-",), _apart(r"pul-[0-9a-f]{40}\b"), 1),
    Rule("replicate", ("r8_",), _apart(r"r8_[A-Za-z0-9]{30,}"), 1),
    Rule("groq", ("gsk_",), _apart(r"gsk_[A-Za-z0-9]{40,}"), 1),
    Rule("perplexity", ("pplx-",), _apart(r"pplx-[A-Za-z0-9]{40,}"), 1),
    Rule("xai", ("xai-",), _apart(r"xai-[A-Za-z0-9]{60,}"), 1),
    Rule("pinecone", ("pcsk_",), r"pcsk_\w{40,}"),
    Rule("cerebras", ("csk-",), _apart(r"csk-[a-z0-9]{40,}"), 1),
    Rule("nvidia", ("nvapi-",), r"nvapi-[\w-]{40,}"),
    Rule("tavily", ("tvly-",), r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}"),
    Rule("langsmith", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    Rule("elevenlabs", ("sk_",), _apart(r"sk_[0-9a-f]{48}\b"), 1),
    Rule("dropbox", ("sl.",), _apart(r"sl\.(?:u\.)?[\w-]{60,}"), 1),
    Rule("okta", ("ssws", "okta"), r"(?i:ssws|okta)[^\r\n]*?[^\w-](00[\w-]{38,42})\b", 1),
    Rule("jfrog", ("AKCp",), _apart(r"AKCp[A-Za-z0-9]{50,}"), 1),
    Rule("jfrog", ("cmVmdGtu",), _apart(r"cmVmdGtu[\w+/=]{40,}"), 1),
    Rule("square", ("sq0",), r"sq0(?:atp|csp|idp|ids)-[\w-]{22,}"),
    Rule("square", ("EAAA",), _apart(r"EAAA[\w-]{56,}"), 1),
    Rule("facebook", ("EAA",), _apart(r"EAA[A-Z][A-Za-z0-9]{80,}"), 1),
    Rule("planetscale", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"),
    Rule("postman", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    Rule("airtable", ("pat",), _apart(r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"), 1),
    Rule("atlassian", ("ATATT3", "ATCTT3"), r"AT(?:AT|CT)T3[\w=-]{40,}"),
    Rule("atlassian", ("ATBB",), _apart(r"ATBB[A-Za-z0-9]{32}\b"), 1),
    Rule("alibaba", ("LTAI",), _apart(r"LTAI[A-Za-z0-9]{12,26}\b"), 1),
    Rule("tencent", ("AKID",), _apart(r"AKID[A-Za-z0-9]{32}\b"), 1),
    Rule("dynatrace", ("dt0c01.", "dt0s"), r"dt0[cs]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    Rule("contentful", ("CFPAT-",), r"CFPAT-[\w-]{40,}"),
    Rule("netlify", ("nfp_",), _apart(r"nfp_[A-Za-z0-9]{36}"), 1),
    Rule("sonar", ("sqp_", "squ_", "sqa_"), _apart(r"sq[pua]_[0-9a-f]{40}\b"), 1),
    Rule("circleci", ("CCIPAT_",), r"CCIPAT_[A-Za-z0-9]+_[0-9a-f]{40}"),
    Rule("buildkite", ("bkua_",), r"bkua_[0-9a-f]{40}"),
    Rule("tailscale", ("tskey-",), r"tskey-[a-z]+-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)?"),
    Rule("sourcegraph", ("sgp_",), _apart(r"sgp_(?:[A-Za-z0-9]+_)?[0-9a-f]{40}\b"), 1),
    Rule("posthog", ("phx_",), _apart(r"phx_[A-Za-z0-9]{40,}"), 1),
    Rule("resend", ("re_",), _apart(r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"), 1),
    Rule("typeform", ("tfp_",), _apart(r"tfp_[\w.=-]{40,}"), 1),
    Rule("shippo", ("shippo_",), r"shippo_(?:live|test)_[0-9a-f]{40}"),
    Rule("prefect", ("pnu_",), _apart(r"pnu_[A-Za-z0-9]{36}\b"), 1),
    Rule("onepass", ("ops_eyJ",), r"ops_eyJ[\w+/=-]{60,}"),
)

_STRUCTURES: tuple[Rule, ...] = (
    Rule(
        "jwt",
        ("eyJ",),
        r"eyJ[\w-]{8,}\.[\w-]*\.[\w-]*(?:\.[\w-]+\.[\w-]+)?",
    ),
    Rule(
        "pem",
        ("private key",),
        rf"-{{4,5}} ?BEGIN {_PRIVATE}{_PEM_NOISE}{_PEM_BODY}(?s:.*?)"
        rf"(?:-{{4,5}} ?END {_PRIVATE}|\z)"
        rf"|-{{4,5}} ?BEGIN {_PRIVATE}[^-]*-{{4,5}} ?END {_PRIVATE}",
    ),
    Rule(
        "pem-base64",
        ("LS0tLS1CRUdJTi",),
        r"LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVO|BFTkNS|BEU0Eg|BQR1Ag)[\w+/=-]+",
    ),
    Rule(
        "putty",
        ("private-lines",),
        rf"Private-Lines: \d+(?:{_GAP}[A-Za-z0-9+/]{{64}})*{_GAP}[A-Za-z0-9+/]+={{0,2}}",
    ),
    Rule(
        "crypt-hash",
        ("$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2"),
        r"\$(?:2[aby]|5|6|y|argon2(?:id|i|d))\$[./A-Za-z0-9$=,+]{20,}",
    ),
    Rule(
        "header",
        ("authorization",),
        rf"(?i)authorization{_SEPARATOR}\[?{_QUOTE}?(?:bearer|basic|token|negotiate|ntlm|api-?key|key"
        rf"|ssws|bot|pat)[ \t]+{_WORD_VALUE}",
        1,
        "literal",
    ),
    Rule(
        "header",
        ("authorization",),
        rf"(?i)authorization{_SEPARATOR}{_QUOTE}?(?:digest|aws4-hmac-sha256|hawk|oauth|signature)"
        r"[ \t]+([^\r\n\x1b]*=[^\r\n\x1b]*)",
        1,
    ),
    Rule("header", ("bearer",), r"(?i)bearer[ \t]+([\w.~+/=-]{12,})", 1, "literal"),
    Rule(
        "cookies",
        ("cookie",),
        rf"(?i)cookie{_SEPARATOR}{_QUOTE}?([\w.%$!*+-]+=[^\s\"'\\\x1b][^\"'\\\r\n\x1b]*)",
        1,
    ),
    Rule(
        "cookies",
        ("curl",),
        rf"curl\b[^\r\n]*?[ \t](?:-b|--cookie)[ =]*{_QUOTE}?([^\s\"'\\=]+=[^\"'\\\r\n\x1b]+)",
        1,
    ),
    # Passwords of database addresses often hold a raw slash, which a web address cannot.
    Rule(
        "url-userinfo",
        ("://",),
        r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse"
        r"|nats|ldaps?|smtps?|s?ftps?)(?:\+\w+)*://[^\s:@/\"'<>]*:([^\s\"'<>\\\x1b]+)@[\w\[.$%{-]",
        1,
        "given",
    ),
    Rule(
        "url-userinfo",
        ("://",),
        r"[A-Za-z]://[^\s:/?#\"'<>\\]*:([^\s/\"'<>\\\x1b]+)@[\w\[.$%{-]",
        1,
        "given",
    ),
    Rule(
        "login",
        ("oracle:", "sqlplus"),
        r"(?:oracle:\w+:|sqlplus[ \t]+(?:-\w+[ \t]+)*)[^\s/@:]+/([^\s@/\"'\\]+)@",
        1,
        "given",
    ),
    Rule("url-userinfo", ("://",), r"(?i)https?://([\w.~-]{20,})@[\w\[.]", 1, "entropy"),
    Rule(
        "netrc",
        ("machine", "default"),
        rf"(?:machine{_GAP}\S+?{_LOGIN}*|default{_LOGIN}+){_GAP}password{_GAP}"
        r"([^\s\"'\\]+)",
        1,
        "given",
    ),
    Rule("pgpass", ("432:",), r":[56]432:[\w*.-]+:[\w*.@-]+:([^\s\"'\\]+)", 1, "given"),
    Rule(
        "login",
        ("curl", "http", "wget"),
        r"(?:curl|https?|wget)[ \t\"'\\](?:[^\r\n]*?[ \t\"'])?"
        rf"(?:-u|--user|--proxy-user|-U|-a|--auth)(?:[ \t=,]|{_QUOTE})*"
        r"[^\s:\"'\\]*:([^\s\"'\\\x1b/][^\s\"'\\\x1b]*)",
        1,
        "given",
    ),
    Rule(
        "login",
        ("mysql", "mariadb"),
        rf"(?:mysql|mariadb)[\w-]*[ \t](?:[^\r\n;|]*?[ \t])?-p{_QUOTE}?([^\s\"'\\\x1b]+)",
        1,
        "given",
    ),
    Rule(
        "login",
        ("sshpass",),
        rf"sshpass[ \t]+(?:-[a-oq-z]+[ \t]+)*-p[ \t]*{_QUOTE}?([^\s\"'\\\x1b]+)",
        1,
        "given",
    ),
    Rule(
        "login",
        ("login", "mongo", "redis-cli", "requirepass", "sqlcmd", "ldap", "zip", "ssh-keygen"),
        rf"(?:(?:docker|podman|helm|nerdctl|oras|skopeo|az|oc){_ARGS}login{_ARGS}-p"
        rf"|mongo\w*{_ARGS}-p|redis-cli{_ARGS}-a|requirepass|sqlcmd{_ARGS}-P|ldap\w+{_ARGS}-w"
        rf"|vault[ \t]+login|zip{_ARGS}-P|ssh-keygen{_ARGS}-N)[ \t]+"
        rf"{_QUOTE}?([^\s\"'\\\x1b-][^\s\"'\\\x1b]*)",
        1,
        "given",
    ),
    Rule(
        "login",
        ("auth", ".login("),
        rf"(?:auth[ \t]*=[ \t]*\(|BasicAuth\(|\.login\(){_QUOTE}[^\s\"'\\]*{_QUOTE},[ \t]*"
        rf"{_QUOTE}([^\"'\\\r\n]+)",
        1,
        "given",
    ),
    Rule(
        "sql",
        ("identified", "password"),
        r"(?i)\b(?:identified\s+(?:with\s+\w+\s+)?by|password)\s+'([^'\r\n]+)'",
        1,
        "given",
    ),
    Rule("openssl", ("pass:",), rf"-pass(?:in|out)?[ \t]+{_QUOTE}?pass:([^\s\"'\\]+)", 1, "given"),
    Rule("assignment", _NAME_KEYWORDS, rf"{_NAME}{_SEPARATOR}{_VALUE}", 2, "assigned"),
    # In a shell or .env file a value also runs over commas, semicolons and ampersands.
    Rule(
        "assignment",
        _NAME_KEYWORDS,
        rf"{_NAME_UPPER}=({_SHELL}*[^\s\"'`\\\x1b)\]}}>.:,;])",
        2,
        "assigned",
    ),
    Rule(
        "assignment",
        _NAME_KEYWORDS,
        rf"{_NAME}\\*[\"'][ \t]*,[ \t]*({_QUOTED})",
        2,
        "assigned",
    ),
    Rule(
        "assignment",
        ("value",),
        rf"(?i)\b(?:name|key){_QUOTE}?[ \t]*[:=][ \t]*{_QUOTE}?[\w.\-]*?{_NAME}{_QUOTE}?"
        rf",?(?:{_GAP})?{_QUOTE}?value{_QUOTE}?[ \t]*[:=][ \t]*{_VALUE}",
        2,
        "assigned",
    ),
    # The one setting of a line: there even a plain word is a password.
    Rule(
        "assignment",
        ("pass", "pwd"),
        rf"(?:^|[\r\n]|\\[nr])(?:[ \t]*\d+{_AFTER_NUMBER})?[ \t+]*"
        rf"[\w.\-]*?{_NAME}:[ \t]+({_BARE})[ \t]*(?:[\r\n\"'\x1b]|\\|\z)",
        2,
        "setting",
    ),
    Rule(
        "assignment",
        ("password is", "password was", "passphrase is", "passcode is"),
        rf"(?i)(password|passphrase|passcode)[ \t]+(?:is|was)[ \t:]*{_VALUE}",
        2,
        "assigned",
    ),
    Rule(
        "assignment",
        ("env", "define", "config"),
        rf"{_LEFT}(?:(?:ENV|SetEnv|setx|config(?:ure)?[ \t]+set)|#define)[ \t]+"
        rf"[\w.\-]*?{_NAME}[ \t]+{_VALUE}",
        2,
        "assigned",
    ),
    Rule(
        "assignment",
        ("set ",),
        rf"{_LEFT}set[ \t]+(?:-\w+[ \t]+)*[A-Z0-9_]*?{_NAME_UPPER}[ \t]+{_VALUE}",
        2,
        "assigned",
    ),
    Rule(
        "flag",
        _NAME_KEYWORDS,
        rf"(?:^|[\s\"'`(\[,;|]|\\[nrt]|\[[0-9;]*m)--?(?:\w+-)*{_NAME}"
        rf"(?:[ \t]+|{_QUOTE}[ \t\r\n]*,[ \t\r\n]*){_VALUE}",
        2,
        "assigned",
    ),
    Rule("xml", _NAME_KEYWORDS, rf"<[\w.:\-]*?{_NAME}(?:\s[^<>]*)?>([^<>\s]+)</", 2, "assigned"),
    Rule(
        "entropy",
        _NAME_KEYWORDS,
        r"(?i)\b(?:password|passwd|passphrase|secret|token|credential"
        r"|(?:api|access|secret|private)[ _-]?key)(?:[ \t]+(?:is|was|of|used|here))?"
        r"[ \t:=>\"'`(*-]{1,4}([\w+/=-]{20,})",
        1,
        "entropy",
    ),
    Rule(
        "card",
        (),
        r"(?:^|[^\w.\-/%]|[\r\n]-|\\[nrt]|\[[0-9;]*m)((?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|35\d\d)"
        r"(?:\d{12}|(?: \d{4}){3}|(?:-\d{4}){3})"
        r"|3[47]\d\d(?:\d{11}| \d{6} \d{5}|-\d{6}-\d{5})|3(?:0[0-5]|[68]\d)\d{11})\b",
        1,
        "luhn",
    ),
)

RULES: tuple[Rule, ...] = _VENDORS + _STRUCTURES
"""Every rule; where two rules claim the same text, the earlier one names it."""

BESIDE = frozenset({"assignment", "flag", "xml", "entropy", "card"})
"""Rules that go by a word beside the secret or by a sum of digits, which the id of a session or the
path of a folder may have by chance. Names are held to all the others."""
