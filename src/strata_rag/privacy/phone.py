"""Phone numbers: by country code, by a label in front of them, or by the form of a country's own numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from strata_rag.errors import ExtraMissing
from strata_rag.privacy.span import PHONE, Span

_CANDIDATE = re.compile(
    r"(?:\+|\b00|\()?(?<![\d.,])\d(?:[ .\-/()]{0,3}\d){5,17}(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?![\w%€$£])"
)
_LABEL = re.compile(
    r"(?<![\w@/])(?:tele?(?:ph?one?|f[oó]no?)?|téléphone|teléfono|(?:tele|smart|cell|i)?phones?|mobile|móvil|mobil"
    r"|handy(?:nummer)?|cell|fax|whatsapp|sms|hotline|rufnummer|call|dial|ring|text|messages?|reach|contact"
    r"|(?:my|our|your|his|her|their)(?: \w+)? number|numéro|número|nummer|☎|📞)"
    r"(?P<gap>[^\d\n;|]{0,32}|[^\w\n]{0,4}\n[^\w\n]{0,4})\Z",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"(?:\s?(?:phone|number|numbers|no|nr|num|line|home|work|office|mobile|cell))?\W{0,4}"
    r"|.*\b(?:on|at|to|is|was|registered|number|us|me|him|her|under|unter)\W{0,3}",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE_END = re.compile(r"[.!?]\s+\w")
_NOT_A_NUMBER = re.compile(
    r"(?:19|20)\d\d[-/. ][01]?\d[-/. ][0-3]?\d(?:\D.*)?|\d{1,2}[-/. ]\d{1,2}[-/. ](?:19|20)\d\d(?:\D.*)?"
    r"|(?:19|20)\d\d\s?[-/]\s?(?:19|20)\d\d|\d{1,3}(?:\.\d{1,3}){3}|\d+[.,]\d+|\d{1,3}(?:[ ,.]\d{3})*[.,]\d\d"
)
_FORMS = {
    "US": r"(?:\+?1[ .-])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}",
    "CA": r"(?:\+?1[ .-])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}",
    "GB": r"\(?0\d{2,4}\)?[ -]\d{3,4}[ -]\d{3,4}",
    "DE": r"\(?0\d{2,5}\)?[ ]?[/-][ ]?\d{3,9}",
    "FR": r"0\d(?:[ .]\d\d){4}",
}
NATIONAL_FORMS = tuple(_FORMS)


class PhoneFinder:
    """Finds phone numbers.

    Args:
        regions: Countries whose own numbers count without label or country code, of `NATIONAL_FORMS`.
    """

    def __init__(self, regions: Sequence[str] = ("US",)) -> None:
        self._forms = [(region, re.compile(_FORMS[region])) for region in regions]

    def find(self, text: str) -> list[Span]:
        """Return the numbers in `text`, sorted and disjoint."""
        found = []
        for match in _CANDIDATE.finditer(text):
            start, value = match.start(), match.group()
            if value.startswith("(") and ")" not in value:
                start, value = start + 1, value[1:]
            if self._is_phone(text, start, value):
                found.append(Span(start, match.end(), PHONE))
        return found

    def _is_phone(self, text: str, start: int, value: str) -> bool:
        before = text[start - 1 : start]
        if before.isalnum() or before in {"_", "#", "$", "€", "£", "@"}:
            return False
        digits = sum(map(str.isdigit, value.partition("x")[0]))
        if digits > 15 or _NOT_A_NUMBER.fullmatch(value):
            return False
        if value.startswith("+"):
            return is_valid(value, None)
        if before in {"-", "/", "=", "."} and not text[max(0, start - 2) : start].isspace():
            return False
        if has_label(text, start):
            return True
        return any(form.fullmatch(value) and is_valid(value, region) for region, form in self._forms)


def has_label(text: str, start: int) -> bool:
    """Tell whether what stands before `start` announces a phone number."""
    label = _LABEL.search(text, max(0, start - 56), start)
    if label is None:
        return False
    gap = label["gap"]
    return bool(_LEADS.fullmatch(gap)) and not _SENTENCE_END.search(gap)


def is_valid(value: str, region: str | None) -> bool:
    """Tell whether the numbering plan of the country code, or of `region`, knows such a number."""
    try:
        import phonenumbers
    except ModuleNotFoundError as error:
        raise ExtraMissing(
            "privacy.regex.entities: PHONE_NUMBER: expected the package phonenumbers, found none",
            hint="run `pip install phonenumbers`, or leave PHONE_NUMBER out of privacy.regex.entities",
        ) from error
    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(value, region)))
    except phonenumbers.NumberParseException:
        return False
