"""Payment cards and IBANs: digits that pass their own check."""

from __future__ import annotations

import re
from collections.abc import Iterator

from strata_rag.privacy.span import CARD, IBAN, Span

_CARD_RUN = re.compile(r"(?<![\w.,+-])\d(?:[ .-]?\d){11,30}(?!\w)|(?<=[+-])\d(?:[ .-]?\d){11,30}(?!\w)")
_CARD_LENGTHS = range(12, 20)
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{4}|222[1-9]\d{2}|22[3-9]\d{3}|2[3-6]\d{4}|27[01]\d{3}|2720\d{2})\d{10}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-59]|[689]\d)\d{11,16}"  # Diners Club
    r"|(?:6011|64[4-9]\d|65\d\d)\d{12,15}"  # Discover
    r"|(?:62\d\d|81\d\d)\d{12,15}"  # UnionPay
    r"|35\d{14,17}|(?:2131|1800)\d{11}"  # JCB
    r"|220[0-4]\d{12,15}"  # Mir
    r"|(?:5[06-9]|6[0-9])\d{10,17}"  # Maestro and its kin
)
_GROUPINGS = ((4, 6, 5), (4, 6, 4), (4, 4, 5))

_IBAN_START = re.compile(r"(?<=[A-Za-z]{2})\d\d(?=[ -]?[A-Za-z0-9]{3})")
_COUNTRIES_BY_LENGTH = {
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
_IBAN_LENGTHS = {
    country: length for length, countries in _COUNTRIES_BY_LENGTH.items() for country in countries.split()
}


def find_cards(text: str) -> list[Span]:
    """Return card numbers: 12 to 19 digits in one of the usual groupings, a known issuer and a right Luhn sum."""
    found: list[Span] = []
    for run in _CARD_RUN.finditer(text):
        groups = list(re.finditer(r"\d+", text[: run.end()][run.start() :]))
        first = 0
        while first < len(groups):
            last = next((end for end in _card_ends(run.group(), groups, first)), None)
            if last is None:
                first += 1
                continue
            found.append(Span(run.start() + groups[first].start(), run.start() + groups[last].end(), CARD))
            first = last + 1
    return found


def _card_ends(run: str, groups: list[re.Match[str]], first: int) -> Iterator[int]:
    """Yield the last group of each card that begins with group `first`, the longest first."""
    for last in range(min(len(groups) - 1, first + 5), first - 1, -1):
        chosen = groups[first : last + 1]
        digits = "".join(group.group() for group in chosen)
        if (
            len(digits) in _CARD_LENGTHS
            and _is_grouping([len(group.group()) for group in chosen])
            and not _is_fraction(run, chosen)
            and _ISSUERS.fullmatch(digits)
            and luhn(digits)
        ):
            yield last


def _is_grouping(lengths: list[int]) -> bool:
    fours = all(length == 4 for length in lengths[:-1]) and lengths[-1] <= 4
    return len(lengths) == 1 or fours or tuple(lengths) in _GROUPINGS


def _is_fraction(run: str, chosen: list[re.Match[str]]) -> bool:
    """Tell whether a single group of digits stands before or behind a decimal point."""
    start, end = chosen[0].start(), chosen[-1].end()
    return len(chosen) == 1 and (run[start - 1 : start] == "." or run[end : end + 1] == ".")


def luhn(digits: str) -> bool:
    """Tell whether the digits pass ISO/IEC 7812's check and are not one digit repeated."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[::-2]))) % 10 == 0 and len(set(digits)) > 1


def find_ibans(text: str) -> list[Span]:
    """Return IBANs: a known country, its length, check digits by ISO 7064 mod 97-10; in groups or not, any case."""
    found: list[Span] = []
    for match in _IBAN_START.finditer(text):
        start = match.start() - 2
        if (start and text[start - 1].isalnum()) or (found and start < found[-1].end):
            continue
        length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
        end = _iban_end(text, start, length)
        if end and _has_check_digits(re.sub("[ -]", "", text[start:end]).upper()):
            found.append(Span(start, end, IBAN))
    return found


def _iban_end(text: str, start: int, length: int) -> int:
    """Return where the `length` letters and digits from `start` on end; 0 where there are not as many."""
    at = start
    while length and at < len(text):
        if text[at].isascii() and text[at].isalnum():
            length -= 1
        elif text[at] not in " -" or not text[at - 1].isalnum():
            return 0
        at += 1
    return 0 if length or at == start or text[at : at + 1].isalnum() else at


def _has_check_digits(iban: str) -> bool:
    return int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97 == 1
