"""Print what is kept of texts with a password or a token."""

import json

from memoranda import Memoranda

P = "Ab3" + "xYz9Kq7w"
T = "aB3dE5fG7h" * 4
DOLLARS = ("super$secret", "correct$horse", "my$ecret99", "Pa$word1")
TEXTS = [
    *(f"DB_PASSWORD={word}" for word in DOLLARS),
    *(f"password = {word}" for word in DOLLARS),
    f"https://api.telegram.org/bot123456789:AA{T[:33]}/sendMessage",
    json.dumps({"db_password": {"sensitive": True, "type": "string", "value": P}}),
    f"password: >-\n  {P}\n",
    f"app:{P}@tcp(db:3306)/shop",
    f'source.setPassword("{P}");',
    f"FERNET_KEY={T}",
    f"encryption key: {'0f1e2d3c' * 8}",
    f"npm config set //registry.example.com/:_authToken {T}",
    f"cargo login {T}",
    f"poetry config pypi-token.pypi {T}",
    f"twine upload -u bob -p {P} dist/*",
    f"keytool -list -storepass {P}",
    f"az keyvault secret set --name a --vault-name b --value {P}",
    f"htpasswd -b file bob {P}",
    f"echo 'bob:{P}' | chpasswd",
    f"echo {P} | sudo -S apt update",
    f"Authorization: Splunk {T}",
    f"Authorization: GenieKey {T}",
    f'Content-Disposition: form-data; name="password"\r\n\r\n{P}\r\n--x--',
    f"%7B%22password%22%3A%22{P}%22%7D",
    f"X-Functions-Key: X-Functions-Key: {T}",
    *(f"{label}{P}" for label in ("contraseña=", "senha: ", "пароль: ", "密码\uff1a")),
    f"mot de passe : {P}",
    f"rnd_{T[:32]}",
    f"duffel_live_{T}",
    f"FLWSECK_TEST-{'0f1e2d3c' * 4}-X",
    f"EZAK{T}{T[:16]}",
    f"SESSION_SECRET: keyboard cat {P}",
    f"      - SESSION_SECRET=keyboard cat {P}",
    f"db:\n  passphrase: correct horse {P} staple\n  host: x",
    f"creds: bob:{P}",
    f"Default credentials: admin / {P} (change it)",
    f"login: bob / {P}",
    f"user/pass: bob/{P}",
    f"EXEC sp_addlogin 'u','{P}'",
    f"exec sp_password NULL, '{P}', 'bob'",
    f'CREATE USER bob IDENTIFIED BY "{P}"',
    f"SET PASSWORD FOR 'bob'@'%' = '{P}'",
    f"CREATE LOGIN bob WITH PASSWORD = N'{P}'",
    f"ACL SETUSER bob on >{P} ~* +@all",
    *(f"{label}482913" for label in ("otp: ", "OTP=", "npm publish --otp=", "2FA code: ")),
    *("482913 is your Acme code", "your one-time code is 482 913", "mfa_code: '482913'"),
    f"kind: Secret\ndata:\n  conn: {T}\n",
    f"p8e-{T[:32]}",
    f"sk_prod_{T}",
]
with Memoranda.open(workspace="w") as memory:
    kept = []
    for text in TEXTS:
        for form in (text, json.dumps({"output": text}, ensure_ascii=False)):
            shown = memory.capture.privacy_test(form).text
            if any(
                secret in shown for secret in (P, T[:20], "0f1e2d3c", "482913", "482 913", *DOLLARS)
            ):
                kept.append(form)
print(json.dumps({"kept": kept}))
