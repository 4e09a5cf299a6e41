"""Redaction rules for secrets that a command receives as an argument.

The program, its subcommand or the preceding flag determines which argument is the secret.
"""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.rule_patterns import LEFT, LINE, QUOTE, SecretRule

WITH = r"[ \t](?:[^\r\n;|&]*?[ \t])?"
"""The arguments of a command that precede a flag."""
WORD_ARGUMENT = r"([^\s\"'\\\x1b$<>=\[-][^\s\"'\\\x1b<>]*)"
VALUE_ARGUMENT = rf"{QUOTE}?{WORD_ARGUMENT}"
_FLAGS = rf"(?:[ \t]+-{{1,2}}\w[\w-]*(?:[ \t=]{QUOTE}?[^\s\"'\\-][^\s\"'\\]*{QUOTE}?)?)*?"
_PROGRAMS = (
    r"smbmap|crackmapexec|nxc|netexec|psexec[^\s]*|snowsql|cqlsh|cypher-shell|tabcmd|rdesktop"
    r"|altool|rabbitmqadmin|yt-dlp|youtube-dl|ncftp\w+|elasticsearch-users|usermod|useradd|bcp"
    r"|ssh-keygen|register_new_matrix_user|security[ \t]+(?:unlock|create|import|lock)[\w-]*"
)
"""Programs whose ``-p`` or ``-P`` is a password."""
_LOOSE = r"conan|hydra|airflow|certutil|nuget|sf[ \t]+org"
"""Programs whose ``-p`` is sometimes a password."""

_login = partial(SecretRule, "login", check="opaque")

COMMANDS: tuple[SecretRule, ...] = (
    # Flags with a name and a password, for any program.
    _login(
        rf"[ \t]-[uU][ \t=]*{QUOTE}?[^\s\"'\\:-][^\s\"'\\:]*{QUOTE}?{_FLAGS}"
        rf"[ \t]+-[pPw][ \t=]*{VALUE_ARGUMENT}",
        check="spelled",
        trace=r"[ \t]-[uU][^\r\n]*[ \t]-[pPw]",
    ),
    _login(
        rf"[ \t]-p[ \t]+{VALUE_ARGUMENT}{_FLAGS}[ \t]+-u[ \t]+[A-Za-z]",
        check="spelled",
        trace=r"[ \t]-p[ \t][^\r\n]*[ \t]-u[ \t]",
    ),
    _login(
        rf"{LEFT}(?:ab|hey|wrk|siege|httpie|transmission-remote){WITH}-(?:[Aan]|-auth)[ \t=]+"
        rf"(?:bearer[ \t]+-a[ \t]+|{QUOTE}?[\w.@-]+:)([^\s\"'\\/]+)",
        trace=r"(?:ab|hey|wrk|siege|httpie|remote)[ \t][^\r\n]*-(?:[Aan]|-auth)[ \t=]",
    ),
    _login(
        rf"{LEFT}(?:{_PROGRAMS}){WITH}-[pP][ \t]+{VALUE_ARGUMENT}",
        trace=rf"(?:{_PROGRAMS})[ \t][^\r\n]*-[pP][ \t]",
    ),
    _login(
        rf"{LEFT}(?:{_LOOSE}){WITH}-[pP][ \t]+{VALUE_ARGUMENT}",
        check="spelled",
        trace=rf"(?:{_LOOSE})[ \t][^\r\n]*-[pP][ \t]",
    ),
    _login(
        rf"-(?:src|dest)?(?:store|key)pass(?:wd)?[ \t]+{VALUE_ARGUMENT}",
        ("-srcstorepass", "-deststorepass", "-srckeypass", "-destkeypass", "-storepasswd"),
        check="present",
    ),
    _login(
        rf"(?:{LEFT}ldap\w+{WITH}-[ws][ \t]*|{LEFT}kadmin\S*{WITH}-p?w[ \t]+"
        rf"|{LEFT}zip{WITH}-P[ \t]*|{LEFT}irssi{WITH}-w[ \t]+"
        rf"|-(?:generic|internet)-password{WITH}-w[ \t]+)"
        rf"{VALUE_ARGUMENT}",
        ("ldap", "kadmin", "irssi", "-password", "zip "),
    ),
    _login(
        rf"(?:{LEFT}snmp\w+{WITH}-[AX]|\bswaks{WITH}-ap|\bsendemail{WITH}-xp|\bvercel{WITH}-t"
        rf"|\bgem[ \t]+push{WITH}--key|\bnuget[ \t]+push{WITH}-k|\bdoctl{WITH}-t)"
        rf"[ \t]+{VALUE_ARGUMENT}",
        ("snmp", "swaks", "sendemail", "--key", "nuget push", "vercel", "doctl", "gem push"),
    ),
    # Windows: flags with a slash, a share's password before its user, and variables.
    _login(
        rf"(?i){LEFT}(?:[xw]?l?freerdp\d?|mstsc|signtool|schtasks|winrm|winrs|wmic|msdeploy|dism)(?:\.exe)?"
        rf"{WITH}[/-](?:p|rp|pass|pwd)[: \t]+{VALUE_ARGUMENT}",
        ("freerdp", "mstsc", "signtool", "schtasks", "winrm", "winrs", "wmic", "msdeploy"),
        check="present",
    ),
    _login(
        rf"(?i){LEFT}net use{WITH}\\\\\S+[ \t]+{QUOTE}?([^\s\"'\\/*-][^\s\"'\\]*){QUOTE}?[ \t]+/u",
        ("net use",),
        check="present",
    ),
    # The secret is a separate argument.
    _login(
        rf"{LEFT}(?:wandb[ \t]+login|cloudflared[ \t]+(?:service[ \t]+install|tunnel[ \t]+run)"
        r"|operator[ \t]+unseal|rclone[ \t]+(?:obscure|reveal)|bw[ \t]+unlock"
        r"|bw[ \t]+login[ \t]+\S+@\S+|set-initial-password"
        rf"|redis-cli(?:[ \t]+-\w[ \t]+\S+)*[ \t]+AUTH)(?:[ \t]+-\S+)*[ \t]+{VALUE_ARGUMENT}",
        ("wandb", "cloudflared", "unseal", "rclone", "bw ", "initial-password", "redis-cli"),
    ),
    _login(
        rf"{LEFT}(?:samba-tool[ \t]+user[ \t]+(?:create|add)[ \t]+\S+"
        r"|mosquitto_passwd[ \t]+-\w*b\w*[ \t]+\S+[ \t]+\S+"
        r"|mc[ \t]+alias[ \t]+set[ \t]+\S+[ \t]+\S+[ \t]+\S+"
        r"|drush[ \t]+(?:user:password|upwd)[ \t]+\S+|reset-admin-password"
        r"|htpasswd[ \t]+-\w*b\w*[ \t]+\d+[ \t]+\S+"
        rf"|lftp{WITH}-e[ \t]+{QUOTE}?user[ \t]+\S+)[ \t]+{VALUE_ARGUMENT}",
        ("samba-tool", "passwd", "mc alias", "drush", "reset-admin-password", "lftp"),
        check="present",
    ),
    _login(
        rf"(?:{LEFT}ftp[ \t][^\r\n]*?{LINE}(?:[^\r\n]*?{LINE})?[ \t]*user[ \t]+[^\s\\]+[ \t]+"
        rf"|{LEFT}(?:quote[ \t]+)?USER[ \t]+[^\s\\]+(?:\\+r)?{LINE}(?:[^\r\n]{{0,80}}{LINE})?"
        rf"[> \t]*(?:quote[ \t]+)?PASS[ \t]+){VALUE_ARGUMENT}",
        ("PASS ", "ftp "),
    ),
    _login(
        rf"(?i){LEFT}nickserv:?[ \t]+identify[ \t]+(?:[^\s\"'\\]+[ \t]+)?{VALUE_ARGUMENT}",
        ("nickserv",),
        check="present",
    ),
    _login(
        rf"(?i)(?:\bnet[ \t]+(?:ads|rpc){WITH}-U[ \t]*{QUOTE}?[^\s%\"']+%|\bsmbget{WITH}-U[ \t]*"
        rf"{QUOTE}?[^\s%\"']+%|\bpdftk{WITH}(?:input|user|owner)_pw[ \t]+"
        rf"|\biwconfig{WITH}(?:key|enc)[ \t]+(?:s:)?|\bkeyMaterial=){VALUE_ARGUMENT}",
        ("net ads", "net rpc", "smbget", "pdftk", "iwconfig", "keymaterial"),
        check="present",
    ),
    _login(
        rf"{LEFT}(?:expd?p?|impd?p?|sqlldr|rman[ \t]+target)[ \t]+(?:userid=)?[\w$#]+"
        r"/([^\s@/\"'\\]+)(?:@\S+)?(?:[ \t]+\w+=|[ \t]*\z)",
        trace=r"(?:expd?p?|impd?p?|sqlldr|target)[ \t]+(?:userid=)?[\w$#]+/",
    ),
    SecretRule(
        "openssl",
        rf"{LEFT}openssl[ \t]+(?:passwd(?:[ \t]+-(?:salt[ \t]+\S+|\d|apr1|noverify|quiet"
        rf"|table))*|enc{WITH}-K)[ \t]+{VALUE_ARGUMENT}",
        ("openssl",),
        check="present",
    ),
    # Values in a secret store, under any name.
    _login(
        rf"create[ \t]+secret[ \t][^\r\n]*?--from-literal[= ]{QUOTE}?[\w.-]+=[ \t]*"
        rf"{VALUE_ARGUMENT}",
        ("--from-literal",),
    ),
    _login(
        rf"(?i)(?:\bvault[ \t]+(?:kv[ \t]+(?:put|patch)|write){WITH}[\w-]+="
        rf"|SecureString{WITH}--value[ \t=]+"
        rf"|put-parameter{WITH}--value[ \t=]+|encrypt_string(?:[ \t]+--?\w[\w-]*[ \t]+\S+)*[ \t]+)"
        rf"{VALUE_ARGUMENT}",
        ("vault kv", "vault write", "securestring", "encrypt_string"),
    ),
    _login(
        rf"(?:secrets?[ \t]+set{WITH}-b(?:[\"']|\\+\")|ConvertTo-SecureString[ \t]+"
        rf"|\buser-secrets[ \t]+set[ \t]+{QUOTE}?[\w:.-]+{QUOTE}?[ \t]+"
        rf"|\bpulumi[ \t]+config[ \t]+set[ \t]+--secret[ \t]+\S+[ \t]+"
        rf"|\bbundle[ \t]+config(?:[ \t]+(?:set|--\S+))*[ \t]+[\w-]+(?:\.[\w-]+)+[ \t]+"
        rf"{QUOTE}?[\w.%+-]+:)(?:{QUOTE})?{WORD_ARGUMENT}",
        ("user-secrets", "--secret", "bundle config", "secret set", "securestring"),
        check="present",
    ),
)
