"""Redaction rules for passwords in program calls, settings and logins."""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.rule_patterns import ARGS, GAP, LEFT, LOGIN, QUOTE, SecretRule

_login = partial(SecretRule, "login", check="present")

LOGINS: tuple[SecretRule, ...] = (
    SecretRule(
        "netrc",
        rf"(?:machine{GAP}\S+?{LOGIN}*|default{LOGIN}+){GAP}password{GAP}"
        r"([^\s\"'\\]+)",
        ("machine", "default"),
        check="present",
    ),
    SecretRule(
        "pgpass",
        r":(?:[56]432|\*):[\w*.-]+:[\w*.@-]+:([^\s\"'\\]+)",
        ("432:", ":*:"),
        check="present",
    ),
    _login(
        r"(?:curl|https?|wget)[ \t\"'\\](?:[^\r\n]*?[ \t\"'])?"
        rf"(?:-u|--user|--proxy-user|-U|-a|--auth)(?:[ \t=,]|{QUOTE})*"
        r"[^\s:\"'\\]*:([^\s\"'\\\x1b/][^\s\"'\\\x1b]*)",
        ("curl", "http", "wget"),
    ),
    _login(
        rf"(?:mysql|mariadb)[\w-]*[ \t](?:[^\r\n;|]*?[ \t])?-p{QUOTE}?([^\s\"'\\\x1b]+)",
        ("mysql", "mariadb"),
    ),
    _login(rf"sshpass[ \t]+(?:-[a-oq-z]+[ \t]+)*-p[ \t]*{QUOTE}?([^\s\"'\\\x1b]+)", ("sshpass",)),
    _login(
        rf"(?:(?:docker|podman|helm|nerdctl|oras|skopeo|az|oc){ARGS}login{ARGS}-p"
        rf"|mongo\w*{ARGS}-p|redis-cli{ARGS}-a|requirepass|sqlcmd{ARGS}-P|ldap\w+{ARGS}-w"
        rf"|vault[ \t]+login|zip{ARGS}-P|ssh-keygen{ARGS}-N)[ \t]+"
        rf"{QUOTE}?([^\s\"'\\\x1b-][^\s\"'\\\x1b]*)",
        ("login", "mongo", "redis-cli", "requirepass", "sqlcmd", "ldap", "zip", "ssh-keygen"),
    ),
    _login(
        rf"(?i)(?:auth{QUOTE}?[ \t]*(?:=>?|:)[ \t]*[(\[]|basic_?auth[( ][ \t]*|credentials?\("
        rf"|(?:\.|->)login\(|\.auth\(|UserPassword\()"
        rf"{QUOTE}[^\s\"'\\]*{QUOTE},[ \t]*{QUOTE}([^\"'\\\r\n]+)",
        ("auth", ".login(", ">login(", "credential", "userpassword("),
        check="argument",
    ),
    _login(
        rf"(?i)(?:getConnection|(?:mysqli|pg|oci)_p?connect"
        rf"|new PDO)[ \t]*\([^()\r\n]*?,[ \t]*{QUOTE}"
        rf"[^\s\"'\\]*{QUOTE},[ \t]*{QUOTE}([^\"'\\\r\n]+){QUOTE}",
        ("getconnection", "_connect", "pdo("),
        check="argument",
    ),
    _login(
        rf"USERPWD{QUOTE}?[ \t]*(?:,|=>?)[ \t]*{QUOTE}[^\s:\"'\\]*:([^\"'\\\r\n]+)",
        ("userpwd",),
        check="argument",
    ),
    SecretRule(
        "openssl",
        rf"openssl[ \t]+enc{ARGS}-k[ \t]+{QUOTE}?([^\s\"'\\]+)",
        ("openssl",),
        check="present",
    ),
    SecretRule(
        "openssl",
        rf"-pass(?:in|out|word)?[ \t]+{QUOTE}?pass:([^\s\"'\\]+)",
        ("pass:",),
        check="present",
    ),
    # A secret that is a separate argument of a command.
    _login(
        r"(?:cargo[ \t]+login|snyk[ \t]+auth|ngrok[ \t]+(?:config[ \t]+add-)?authtoken"
        r"|(?:poetry|composer)[ \t]+config(?:[ \t]+-\S+)*[ \t]+(?:pypi-token|[\w-]*oauth)\.[\w.-]+"
        rf"|(?:poetry|composer)[ \t]+config(?:[ \t]+-\S+)*[ \t]+http-basic\.[\w.-]+[ \t]+\S+)"
        rf"[ \t]+(?:--[ \t]+)?{QUOTE}?([^\s\"'\\\x1b-][^\s\"'\\\x1b]*)",
        ("cargo", "snyk", "ngrok", "poetry", "composer"),
    ),
    _login(
        rf"(?:twine{ARGS}-p|-(?:store|key)pass|keyvault{ARGS}--value|secrets?[ \t]+set{ARGS}(?:-b"
        rf"|--body)"
        rf"|mosquitto_\w+{ARGS}-P|ipmitool{ARGS}-P)[ \t=]+{QUOTE}?([^\s\"'\\\x1b-][^\s\"'\\\x1b]*)",
        ("twine", "storepass", "keypass", "keyvault", "secret", "mosquitto", "ipmitool"),
    ),
    _login(
        r"secrets[ :]set(?:[ \t]+-\S+)*[ \t]+(?:\w+=\S+[ \t]+)*\w+=([^\s\"'\\]+)",
        ("secrets set", "secrets:set"),
    ),
    _login(
        r"(?:htpasswd[ \t]+-(?:[A-Za-z]*b[A-Za-z]*n|[A-Za-z]*n[A-Za-z]*b)[A-Za-z]*[ \t]+\S+"
        r"|htpasswd(?:[ \t]+-[A-Zac-mo-z]+)*[ \t]+-[A-Zac-mo-z]*b[A-Zac-mo-z]*"
        r"(?:[ \t]+-[A-Zac-mo-z]+)*[ \t]+[^\s-]\S*[ \t]+\S+"
        rf"|wpa_passphrase[ \t]+(?:\S+|{QUOTE}[^\"'\r\n]+{QUOTE})|mysqladmin{ARGS}password"
        rf"|net user[ \t]+\S+"
        rf"|rabbitmqctl{ARGS}(?:add_user"
        rf"|change_password)[ \t]+\S+)[ \t]+{QUOTE}?([^\s\"'\\/-][^\s\"'\\]*)",
        ("htpasswd", "wpa_passphrase", "rabbitmqctl", "mysqladmin", "net user"),
    ),
    _login(
        rf"(?:(?:echo|printf)[ \t]+(?:-\w+[ \t]+)*{QUOTE}?(?:%s\\*n?{QUOTE}?[ \t]+{QUOTE}?)?)"
        rf"([^\s\"'\\|$`-][^\s\"'\\|()]*)(?:\\+n)?{QUOTE}?\)?[ \t]*\|[ \t]*"
        rf"(?:sudo[ \t]+[^\r\n|]*?-\w*S\b"
        rf"|[^\r\n|]*?--password-stdin|[^\r\n|]*?--with-token|(?:sudo[ \t]+)?(?:chpasswd|passwd"
        rf"|kinit|smbpasswd|su\b"
        rf"|cryptsetup|vault[ \t]+login))",
        ("sudo", "-stdin", "with-token", "passwd", "kinit", "cryptsetup", "vault"),
    ),
    _login(
        rf"(?:sudo[ \t]+[^\r\n|]*?-\w*S\b|--password-stdin|--with-token|chpasswd"
        rf"|kinit)[^\r\n<|]*<<<[ \t]*"
        rf"{QUOTE}?([^\s\"'\\$]+)",
        ("<<<",),
    ),
    _login(
        rf"(?:echo|printf)[ \t]+(?:-\w+[ \t]+)*{QUOTE}?[\w.-]+:"
        rf"([^\s\"'\\|]+){QUOTE}?[ \t]*\|[^\r\n]*?chpasswd",
        ("chpasswd",),
    ),
    _login(
        rf"(?:7z[ar]?[ \t]+\w{ARGS}-p|rar[ \t]+\w{ARGS}-h?p|(?:smb"
        rf"|rpc)client{ARGS}-U[ \t]*{QUOTE}?[^\s%\"']+%"
        rf"|lftp{ARGS}-u[ \t]*{QUOTE}?[^\s,\"']+,|cmdkey[^\r\n]*?/pass:"
        rf"|net use{ARGS}/user:\S+[ \t]+){QUOTE}?"
        r"([^\s\"'\\]+)",
        ("7z", "rar ", "smbclient", "rpcclient", "lftp", "cmdkey", "net use"),
    ),
    _login(
        rf"(?i)(?:{LEFT}(?:bindpw|rootpw)[: \t]+(?:--plaintext[ \t]+)?"
        rf"|ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?{QUOTE}"
        rf"|(?:enable|username[ \t]+\S+)(?:[ \t]+privilege[ \t]+\d+)?[ \t]+(?:password"
        rf"|secret)[ \t]+(?:\d[ \t]+)?)"
        r"([^\s\"'\\]+)",
        ("bindpw", "rootpw", "securestring", "enable ", "username "),
        check="labelled",
    ),
    _login(
        r"(?:snmp-server community|\b(?:ro|rw)community6?"
        r"|snmp\w+[ \t](?:[^\r\n;|]*?[ \t])?-c)[ \t]+"
        rf"{QUOTE}?([^\s\"'\\-][^\s\"'\\]*)",
        ("snmp", "community"),
        check="opaque",
    ),
    _login(rf"\bpsk[ \t]*=[ \t]*{QUOTE}([^\"'\\\r\n]{{8,63}}){QUOTE}", ("psk=", "psk =")),
    _login(
        rf"(?i)\bftp(?:_tls)?\({QUOTE}[^\"'\r\n]+{QUOTE},[ \t]*{QUOTE}[^\"'\r\n]*{QUOTE}"
        rf",[ \t]*{QUOTE}([^\"'\\\r\n]+){QUOTE}",
        ("ftp(", "ftp_tls("),
        check="argument",
    ),
    # Settings of mail and message clients: a name and a value without a separator.
    _login(
        r"(?i)(?:^|[\r\n]|\\[nr])[ \t]*\w*user(?:name)?[ \t]+[^\s\\]+(?:[\r\n]+|\\[nr])[ \t]*"
        r"\w*password[ \t]+([^\s\"'\\]+)[ \t]*(?:[\r\n\"\\]|\z)",
        ("user",),
    ),
    _login(rf"(?i)twilio[^\r\n]{{0,80}}?{QUOTE}([0-9a-f]{{32}}){QUOTE}", ("twilio",)),
    # Bundler's credentials for a host; the setting's name has double underscores for dots.
    _login(rf"BUNDLE_\w+__\w+(?:=|:[ \t]*){QUOTE}?([\w.%+-]+:[\w.%+-]{{4,}})", ("BUNDLE_",)),
    # Routers, wireless modules, and a passphrase of several words as an argument.
    _login(
        rf"(?:p{{1,2}}p (?:chap|pap)(?: sent-username \S+)? password[ \t]+(?:\d[ \t]+)?"
        rf"|secret add[ \t][^\r\n]*?password=|--passphrase[ \t=]+){QUOTE}?"
        r"([^\s\"'\\-][^\"'\\\r\n]*?)(?:[ \t]+[\w-]+=|[\"'\\\r\n]|[ \t]+-|\z)",
        ("chap password", "pap sent", "secret add", "--passphrase"),
    ),
    _login(rf"(?i)\bwpa\w*[ \t]*=[ \t]*{QUOTE}([^\"'\\\r\n]{{8,63}}){QUOTE}", ("wpa",)),
)
