"""Whether a name announces a secret, and whether a value behind it looks like one."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Literal

Kind = Literal["password", "key", ""]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zßñü]+|\d+")
_PASSWORDS = {
    "password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "contraseña", "secret", "pass",
    "passw", "pw",
}  # fmt: skip
_KEYS = {
    "token",
    "apikey",
    "apitoken",
    "accesskey",
    "secretkey",
    "authtoken",
    "accesstoken",
    "credential",
    "credentials",
    "credentialsjson",
}
_KEY_KINDS = {
    "access", "account", "admin", "api", "app", "auth", "client", "consumer", "deploy", "encryption", "encrypt", "hmac",
    "instrumentation", "jwt", "license", "management", "master", "private", "secret", "service", "session", "shared",
    "signing", "storage", "subscription", "webhook", "write",
}  # fmt: skip
_NOT_BEFORE_TOKEN = {
    "max", "min", "num", "n", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "next", "page", "continuation", "total",
    "prompt", "completion", "input", "output", "special", "stop", "start", "end", "first", "last", "per", "image",
    "sync", "cancellation", "cancel", "lex", "parse", "word", "sub", "cursor", "pagination", "public",
}  # fmt: skip
_ENDINGS = {
    "value",
    "prod",
    "production",
    "dev",
    "test",
    "staging",
    "live",
    "base",
    "b",
    "str",
    "env",
    "default",
    "new",
    "old",
}

_REFERENCE = re.compile(
    r"\$\{?[A-Za-z_][\w.:-]*\}?\\*|\$\(.*|\$\{\{.*|\{\{.*|%\(\w+\)s|%[A-Z_]+%|<.*|\{\w*\}|@[\w.]+|!\w+.*|env[:.(].*|os\.environ.*"
    r"|process\.env.*|vault:.*|ref\+.*|arn:.*|[\w.]+\(.*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[\w.]+\[.*"
    r"|\[.*\][+*]?",
    re.DOTALL,
)
_PLACEHOLDER = re.compile(
    r"your|example|change[-_ ]?me|placeholder|dummy|redacted|replace|insert|xxxx|\*\*\*|\.\.\.|…|<|>|fake|sample|todo|"
    r"password|passwd|secret|token|0123456789|abcdef|1234567|foobar|hunter2-|\bnone\b|\bnull\b|undefined",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"[a-z][a-z0-9+.-]*://.*|(?:[~.]{1,2}|[A-Za-z]:)?[/\\](?:[\w.@-]+[/\\])*[\w.@-]*|(?:[\w.@-]+/)+[\w.-]+\.\w{1,5}"
    r"|[\w-]+\.(?:py|js|ts|json|ya?ml|txt|pem|key|crt|toml|env|md|rst|html?|cfg|ini|lock|go|rs)",
    re.IGNORECASE,
)
_PLAIN_WORDS = re.compile(
    r"[A-Za-z]+(?:[-_./:'][A-Za-z]+)*|[A-Z0-9_]*[A-Z]_[A-Z0-9_]*|[\d\W]+|[a-z]+[-_]?\d{1,2}|\d+[A-Za-z]{1,2}"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_STRONG_SYMBOLS = set("!@#$%^&*?+=~")


def label_kind(name: str) -> Kind:
    """Return what a name such as ``DB_PASSWORD``, ``apiKey`` or ``client secret`` announces; empty for nothing."""
    words = [word.lower() for word in _WORD.findall(name)]
    while words and (words[-1].isdigit() or words[-1] in _ENDINGS):
        words.pop()
    if not words:
        return ""
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _PASSWORDS:
        return "password"
    if last in _KEYS:
        return "" if before in _NOT_BEFORE_TOKEN else "key"
    if last == "key" and before in _KEY_KINDS:
        return "key"
    return "password" if words[-3:] == ["mot", "de", "passe"] else ""


def is_secret_value(value: str, kind: Kind, *, quoted: bool) -> bool:
    """Tell whether `value` is a secret if it stands behind a label of `kind`.

    References, placeholders, paths, URLs, code and plain words are none.
    """
    if _REFERENCE.fullmatch(value) or _PLACE.fullmatch(value) or _PLAIN_WORDS.fullmatch(value):
        return False
    if _PLACEHOLDER.search(value) or len(set(value)) < 5 or ("(" in value and ")" in value and not quoted):
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    cases = any(map(str.islower, value)) + any(map(str.isupper, value))
    symbols = bool(_STRONG_SYMBOLS.intersection(value))
    if " " in value and not (digits and symbols and cases == 2 and len(value) < 40):
        return False
    classes = cases + digits + symbols
    if kind == "password":
        return letters and (digits or symbols) and (len(value) >= 8 or (len(value) >= 6 and classes > 2))
    return letters and digits and len(value) >= 16 and entropy(value) >= 3.0


def is_stand_in(value: str) -> bool:
    """Tell whether a text stands where a secret would, such as ``xxxx`` or ``your-key``."""
    return bool(_PLACEHOLDER.search(value))


def is_random(value: str) -> bool:
    """Tell whether a text without a label looks drawn by chance: long, of three classes, of high entropy."""
    classes = any(map(str.islower, value)) + any(map(str.isupper, value)) + any(map(str.isdigit, value))
    switches = sum(_class(left) != _class(right) for left, right in pairwise(value))
    return (
        len(value) >= 24
        and classes == 3
        and entropy(value) >= 4.0
        and switches >= len(value) // 3
        and not _UUID.fullmatch(value)
        and not _PLACEHOLDER.search(value)
    )


def _class(sign: str) -> int:
    return 0 if sign.isdigit() else 1 if sign.islower() else 2 if sign.isupper() else 3


def entropy(text: str) -> float:
    """Return Shannon's entropy of the characters, in bits each."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())
