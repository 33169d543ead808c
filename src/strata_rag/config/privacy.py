"""The keys of `privacy`: what is taken out of documents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from strata_rag.config.section import Expected, FolderOrName, Section, YesNo

_Text = Annotated[str, Field(min_length=1)]
_PolicyName = Annotated[
    str, Field(min_length=1), FolderOrName(), Expected("`default` or the path of a policy file")
]


class Regex(Section):
    """What the `regex` detector looks for."""

    email: YesNo = Field(True, description="E-mail addresses.")
    phone: YesNo = Field(True, description="Phone numbers with a country code or behind a label.")
    iban: YesNo = Field(True, description="IBANs with right check digits.")
    card: YesNo = Field(True, description="Payment cards with a right check digit.")
    ip: YesNo = Field(True, description="IP addresses.")
    url_credentials: YesNo = Field(True, description="User names and passwords in URLs.")
    phone_regions: tuple[Literal["US", "CA", "GB", "DE", "FR"], ...] = Field(
        ("US",), description="Countries whose own phone numbers count without a label or country code."
    )


class Presidio(Section):
    """What the `presidio` detector looks for."""

    entities: Annotated[tuple[_Text, ...], Field(min_length=1)] = Field(
        (
            "PERSON",
            "EMAIL_ADDRESS",
            "PHONE_NUMBER",
            "IBAN_CODE",
            "CREDIT_CARD",
            "IP_ADDRESS",
            "LOCATION",
            "US_SSN",
        ),
        description="Presidio's names of what it looks for.",
    )
    languages: Annotated[tuple[_Text, ...], Field(min_length=1)] = Field(
        ("en",), description="Languages that its recognizers are run in, all with `privacy.spacy_model`."
    )


class Privacy(Section):
    """What is taken out of documents before anything of them is stored."""

    detector: Literal["regex", "presidio"] = Field(
        "regex",
        description="`regex`: patterns and check digits, no model. `presidio`: Presidio with a spaCy model; finds "
        "names too (extra `pii`).",
    )
    spacy_model: _Text = Field("en_core_web_sm", description="The installed spaCy model that Presidio uses.")
    policy: _PolicyName = Field(
        "default",
        description="What becomes of findings: `default`, or a policy file whose path starts with `./`, `../`, `/` "
        "or `~`. See docs/privacy.md.",
    )
    secrets: YesNo = Field(True, description="Whether secrets such as keys and passwords are taken out.")
    threshold: float = Field(
        0.4, ge=0, le=1, description="Findings that their detector is less sure of stay, and are counted."
    )
    regex: Regex = Field(Regex(), description="What the `regex` detector looks for.")
    presidio: Presidio = Field(Presidio(), description="What the `presidio` detector looks for.")
