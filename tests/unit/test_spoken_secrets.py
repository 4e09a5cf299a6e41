"""Secrets in a person's conversation, and similar sentences without any."""

from __future__ import annotations

import pytest

from memoranda.capture.redaction.redactor import Redactor

REDACTOR = Redactor(b"a key for tests")

STATED = [
    ("my sudo pw for the build box: {}", "plover-harbour7"),
    ("log in as dora / {} and check the cart", "brass_kettle4"),
    ("ssh into 10.1.2.3 as pi with {} and tail the log", "gooseberry_pie"),
    ("the keystore password hasn't changed since 2020, still {}, alias app", "lemons4life"),
    ("the pwd I got over the phone is {}; build the config", "Echo-Tango-Whisky"),
    ("ssh key passphrase: {}\nadd it first", "four-sleepy-green-geese"),
    ("I typed {} twice as the password and it failed", "Clementine77$"),
    ("the router's admin page takes {} , see if it has an API", "hunter2222!"),
    ("it says {} for the Heroku login", "marimba-Custard-8"),
    ("the zip is encrypted, {} opens it", "snowdrift-41"),
    ("wifi is guestnet, get in with {}", "pelican-briefs2"),
    ("office wifi\nnetwork: Fjord\nkey: {}\nwrite it down", "heidelbeere2018"),
    ("Le code du wifi de la salle : {}", "Libellule-Verte-12"),
    ("pour le NAS : identifiant julien, mdp {}. Regarde le disque", "cl4rinette"),
    ("troquei a senha ontem, agora é {}", "Zk4!ipanema"),
    ("try again with {}, I had a typo in the password", "W3#pf!kQz"),
    ("Everybody uses the same test login (qa-team, {})", "Hello4Qa!"),
    ("basic auth for /metrics, user prom, pass {}", "Aew5phoo"),
    ("ana: what's the pw for grafana again?\nben: {}\nana: ty", "marmalade"),
    ("the door code is {} by the way", "5582#"),
    ("the safe combination for the runbook: {}", "11-42-07"),
    ("alarm code at the lab {}, 30 seconds", "8841"),
    ("the passcode of the tablet is {}", "371925"),
    ("検証用スマホのPINは{}です。", "6027"),
    ("合言葉は「{}」です", "あさがお77"),
    (
        "recovery phrase for the faucet, keep it out of the repo:\n{}",
        "gravity lizard anchor tuna wisdom harbor puzzle copper ribbon sunset kiwi oxygen",
    ),
    ("The shared secret of the webhook sender is {}", "b7e1d40c92a84f6fa3c05d6e18f27a93"),
    ("curl 'https://api.example/x' \\\n  -X POST \\\n  -u app:{}", "0f9e8d7c6b5a49382716"),
    ("USER press\n331 Password required\nPASS {}\n230 in", "thimble"),
    ("334 UGFzc3dvcmQ6\n{}\n235 ok", "c3RhcmxpbmctNDI="),
    ("#cloud-config\nchpasswd:\n  list: |\n    ubuntu:{}\n", "iceMint_2"),
    ("rootpw --plaintext {}\nclearpart --all", "Radish!Van"),
    ("gpg --batch --passphrase '{}' -d a.gpg", "old barn near the lake"),
    ("$ cat config/master.key\n{}\n", "7d2571480ac8f1a593726be5e80a4421"),
    ("page.locator('#pw').fill('{}')", "reedMarsh!4"),
    ('{{"element":"Password textbox","text":"{}","submit":true}}', "birch_Hollow3"),
    ('Worksheets("Pay").Unprotect "{}"', "Otter-Ledger"),
    (" ppp chap password 0 {}", "Ir0nFlat"),
    ("the wifi at the office is {} btw", "cavala-verde-8"),
    ("My 2FA code right now is {}, hurry", "519 073"),
    ("test şifresi {}, host db", "Balik_Kedi7"),
    ('So the passphrase on that key is "{}", without the quotes', "six dry camels humming"),
    ("I think the zip is protected with {}", "Bilanz_4_intern"),
    ("try {} as the password", "friday-Crocus"),
    ("my password was in the env file but now just hardcode {}, a demo", "demo$Hydra"),
    ("sign in with e2e@shop.example and {}; no real data", "Mast>Wind7"),
    ("Unlock my keychain with {} then run it again", "gr1nd.Lamp9"),
    ("the basic auth in front of the preview is preview:{} fyi", "just-look-31"),
    ("The license server wants a key, ours is {}. Put it in", "8RXM-P3LD-72KV-CT5H"),
    ("it's {}! That's the password for the old server", "Ch3stnuts"),
    ("they put the prod password, {}, into the comment", "Etna-1669AD"),
    ("SMS: your verification code is {}. enter it", "G-731520"),
    ("type {} when it asks for it", "birch5Grove"),
    ("I reset the admin user for you. It's now {} until you log in", "Temp-7Pier!"),
    ("we agreed on {} as the shared root password", "bl4ckberryPie"),
    ("the zip with the certificates opens with {}", "Emu$certs4"),
    ("stringData:\n  SMTP_PASS: {}\n", "finch&Heron_3192"),
    ("type {} when it asks for the passphrase", "nine otters juggle 4 lamps"),
    ("the root password is still the one Ada set, {}, keep it", "bl4ckb!rd"),
    ("Yes I remember: {} was the password we agreed on", "Toad-crossing-19"),
    ("El código de la alarma es {}, no lo des", "58207"),
    ("Nimm einfach {} als PIN für das Gerät", "3957"),
    ("a new API token for the weather service, it's {}, put it in", "5a8209b779ca5c6286ecd8b9"),
    ("The one-time code they texted me is {} but hurry", "731 405"),
    ("$ vault kv get -field=api_key secret/billing\n{}\n", "e13561d5f0906c902f4850de5c91bd1f"),
    ("the password of the box is {} by the way", "super-Tangle77"),
    ("password: {}", "!secret-Maple42"),
    ("You can use my token {} for the calls", "tk_7gR3nYs82MeYx1"),
]
ORDINARY = [
    "the password field is empty after a reset in v2.3.1",
    "password hashing uses argon2id with 3 rounds",
    "the password is case-sensitive and time-based codes come next",
    "log in as admin with your SSO account",
    "what is the password policy?\nyes\n",
    "the login for web-02 fails since build 1841",
    "it asks for a password, use the one from the vault",
    "wifi drops when the key exchange restarts",
    "the pin on GPIO 18 is high; PIN_COUNT: 4",
    "door sensor code 12 is a timeout",
    "sign in with Google, then open settings.json",
    "the passphrase prompt hangs in tests/test_prompt.py",
    "credentials: read from ~/.aws/credentials",
    "the password is wrong!",
    "Passwort ist falsch!",
    "the login is broken again!",
    "try ada@example.com as the login",
    "my login is ada@example.com",
    "login with GitHub!",
    "The wifi driver is iwl-5.5-rc1, version 5.5.2",
    "My password manager is KeePass-XC2 and it crashes at login!",
    "keyboard shortcuts: Ctrl+K opens the palette",
    "the volume is encrypted with AES-256 and secured with mutual-TLS",
    "password: !vault |",
    "${DB_PASSWORD:?must be set}",
    "the license is Apache-2.0, see LICENSE-MIT too",
    'locator("#name").fill("Ana Lopez")',
]


@pytest.mark.parametrize(("sentence", "secret"), STATED)
def test_what_a_sentence_states_is_redacted(sentence: str, secret: str) -> None:
    redacted, found = REDACTOR.text(sentence.format(secret))

    assert secret not in redacted
    assert found.total() == 1


@pytest.mark.parametrize("sentence", ORDINARY)
def test_a_sentence_about_passwords_stays(sentence: str) -> None:
    assert REDACTOR.text(sentence) == (sentence, {})
