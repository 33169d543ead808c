"""Secrets drawn by chance, planted in the shapes people leave them in."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass

LETTERS = string.ascii_letters + string.digits
COUNT = 300


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with one secret in it.

    Attributes:
        shape: How it was planted.
        text: With the secret.
        start: Where the secret begins.
        end: One past its end.
    """

    shape: str
    text: str
    start: int
    end: int

    @property
    def value(self) -> str:
        return self.text[self.start : self.end]


class Draw:
    """Draws values of the forms that secrets have."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, length: int, alphabet: str = LETTERS) -> str:
        return "".join(self.random.choices(alphabet, k=length))

    def password(self) -> str:
        """Ten to sixteen characters of three classes at least, as password managers draw them."""
        body = self.text(self.random.randint(7, 13))
        return (
            self.text(1, string.ascii_letters)
            + body
            + self.text(1, "!@#$%^*?+=~")
            + self.text(1, string.digits)
        )

    def token(self) -> str:
        kind = self.random.randrange(4)
        if kind == 0:
            return self.text(self.random.randint(24, 48))
        if kind == 1:
            return self.text(40, "0123456789abcdef")
        if kind == 2:
            return base64.b64encode(self.random.randbytes(32)).decode()
        return base64.urlsafe_b64encode(self.random.randbytes(30)).decode()

    def issued(self) -> str:
        """A token of a provider's own shape."""
        return self.random.choice(
            [
                "AKIA" + self.text(16, string.ascii_uppercase + "234567"),
                "ghp_" + self.text(36),
                "glpat-" + self.text(20),
                f"xoxb-{self.text(12, string.digits)}-{self.text(12, string.digits)}-{self.text(24)}",
                "sk_live_" + self.text(24),
                "sk-proj-" + self.text(48),
                "AIza" + self.text(35),
                f"SG.{self.text(22)}.{self.text(43)}",
                "hf_" + self.text(34, string.ascii_letters),
                "npm_" + self.text(36),
                "pypi-" + self.text(80),
                "dop_v1_" + self.text(64, "0123456789abcdef"),
            ]
        )

    def jwt(self) -> str:
        head = (
            base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
        )
        body = base64.urlsafe_b64encode(json.dumps({"sub": self.text(12)}).encode()).decode().rstrip("=")
        return f"{head}.{body}.{self.text(43)}"

    def key_block(self) -> str:
        body = base64.b64encode(self.random.randbytes(600)).decode()
        return "\n" + "\n".join(body[at : at + 64] for at in range(0, len(body), 64)) + "\n"


Shape = tuple[str, Callable[[Draw], str]]
SHAPES: dict[str, Shape] = {
    "provider token in prose": ("The deploy job still uses {} since May.", Draw.issued),
    "JSON web token": ("He pasted {} into the ticket.", Draw.jwt),
    "key block": (
        "Save as id_rsa:\n-----BEGIN RSA PRIVATE KEY-----{}-----END RSA PRIVATE KEY-----\nDone.",
        Draw.key_block,
    ),
    "key: value": ("user: deploy\npassword: {}\nport: 5432\n", Draw.password),
    "env file": ("DB_HOST=db\nDB_PASSWORD={}\nDEBUG=0\n", Draw.password),
    "export": ("$ export SERVICE_API_KEY={}\n$ make", Draw.token),
    "quoted assignment": ('client_secret = "{}"  # rotate\n', Draw.token),
    "JSON": ('{{"host": "db", "dbPassword": "{}", "port": 1}}', Draw.password),
    "YAML, quoted": ("auth:\n  apiToken: '{}'\n", Draw.token),
    "Markdown bold label": ("- **Password:** `{}`\n- **User:** ada\n", Draw.password),
    "Markdown row": ("| setting | value |\n|---|---|\n| password | {} |\n", Draw.password),
    "Markdown column": ("| user | password |\n|---|---|\n| ada | {} |\n", Draw.password),
    "CSV column": ("user,password,role\nada,{},admin\n", Draw.password),
    "bearer header": ("curl -H 'Authorization: Bearer {}' https://api.example.com", Draw.token),
    "key header": ("X-Api-Key: {}\nAccept: */*\n", Draw.token),
    "connection URL": ("postgresql://app:{}@db.example.com:5432/prod", lambda draw: draw.text(16)),
    "connection string": ("Server=tcp:db;User Id=sa;Password={};Encrypt=True", Draw.password),
    "storage key": ("AccountName=acme;AccountKey={};EndpointSuffix=core", Draw.token),
    "curl user": ("curl -u deploy:{} https://ci.example.com/", Draw.password),
    "sentence": ("The API key is {} and expires in June.", Draw.token),
    "XML": ("<server><password>{}</password></server>", Draw.password),
    "Python with type": ('class S:\n    SECRET_KEY: str = "{}"\n', Draw.token),
    "command line option": ("$ tool login --user ada --password {} --force", Draw.password),
    "random near a telling word": (
        "Here are the staging credentials for Monday:\n{}\nDo not share.",
        lambda d: d.text(36),
    ),
}


def planted(count: int = COUNT, seed: int = 7) -> list[Planted]:
    """Return `count` texts, the shapes in turn."""
    draw = Draw(seed)
    made = []
    for number in range(count):
        shape, (template, value_of) = list(SHAPES.items())[number % len(SHAPES)]
        before, after = (part.replace("{{", "{").replace("}}", "}") for part in template.split("{}"))
        value = value_of(draw)
        made.append(Planted(shape, before + value + after, len(before), len(before) + len(value)))
    return made
