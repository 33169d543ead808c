"""What the numbers in a workbook's cells show: dates, percentages, leading zeros."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

from strata_rag.corpus.formats.packed import attribute, local, whole
from strata_rag.documents import Scalar

_COLUMN = re.compile(r"([A-Z]{1,3})\d*")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LITERALS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_ZEROS = re.compile(r"0{2,}")
_PERCENT = re.compile(r"#?,?#*0(?:\.(0+))?%")
_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
_BUILT_IN = {
    **dict.fromkeys(
        (14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58), "yyyy-mm-dd"
    ),
    **dict.fromkeys((18, 19, 20, 21, 45, 47), "h:mm:ss"),
    46: "[h]:mm:ss",
    22: "yyyy-mm-dd h:mm",
    9: "0%",
    10: "0.00%",
}
_SECONDS = 86_400
_LAST_DAY = 2_958_466


def column_of(place: str) -> int | None:
    """Return the column of a reference such as ``B7``, from 0; None where it is none."""
    found = _COLUMN.match(place)
    if not found:
        return None
    number = 0
    for letter in found.group(1):
        number = number * 26 + ord(letter) - 64
    return number - 1


def unescaped(text: str) -> str:
    """Return a string with its ``_x000D_`` escapes resolved."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), text)


class CellFormats:
    """The number formats of a workbook's cells.

    Args:
        codes: By style index, the format's code.
        is_1904: Whether days count from 1904.
    """

    def __init__(self, codes: list[str], *, is_1904: bool) -> None:
        self._codes = codes
        self._first_day = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)

    @classmethod
    def read(cls, root: Any, *, is_1904: bool) -> CellFormats:
        """Read the part ``styles.xml``; None where there is none."""
        own: dict[str, str] = {}
        codes: list[str] = []
        for node in () if root is None else root:
            if local(node) == "numFmts":
                own = {attribute(one, "numFmtId") or "": attribute(one, "formatCode") or "" for one in node}
        for node in () if root is None else root:
            if local(node) == "cellXfs":
                for one in node:
                    number = attribute(one, "numFmtId") or "0"
                    built_in = _BUILT_IN.get(whole(number), "")
                    codes.append(own.get(number, built_in))
        return cls(codes, is_1904=is_1904)

    def show(self, raw: str, style: str) -> tuple[str, Scalar]:
        """Return what a number shows and is; the digits stay as they are unless the format says a date or such."""
        try:
            number = float(raw)
        except ValueError:
            return raw, raw
        if not isfinite(number):
            return raw, raw
        index = whole(style)
        code = self._codes[index] if index < len(self._codes) else ""
        shown = self._formatted(number, code.partition(";")[0])
        if shown is not None:
            is_same_number = code.strip().endswith("%")
            return shown, _number(number) if is_same_number else shown
        return _plain(raw, number), _number(number)

    def _formatted(self, number: float, code: str) -> str | None:
        if not code or code.lower() == "general":
            return None
        bare = _LITERALS.sub("", code)
        if percent := _PERCENT.fullmatch(bare.strip()):
            return f"{number * 100:.{len(percent.group(1) or '')}f}%"
        if _ZEROS.fullmatch(bare.strip()) and number >= 0 and number == int(number):
            return str(int(number)).zfill(len(bare.strip()))
        if elapsed := _ELAPSED.search(code):
            return _elapsed(number, elapsed.group(1)[0].lower())
        letters = bare.lower().replace("general", "").replace("am/pm", "h").replace("a/p", "h")
        if "e+" in letters or not re.search("[ymdhs]", letters):
            return None
        return self._moment(
            number, has_day=bool(re.search("[yd]|mmm", letters)), has_time="h" in letters or "s" in letters
        )

    def _moment(self, number: float, *, has_day: bool, has_time: bool) -> str | None:
        if not 0 <= number < _LAST_DAY:
            return None
        moment = self._first_day + timedelta(seconds=round(number * _SECONDS))
        if self._first_day.year == 1899 and number < 60:  # its calendar has a 29 February 1900
            moment += timedelta(days=1)
        if not has_day and number < 1 and has_time:
            return moment.strftime("%H:%M:%S")
        if has_time and number % 1:
            return moment.strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")
        return f"{moment:%Y-%m-%d}"


def _elapsed(number: float, unit: str) -> str:
    """Return a length of time, in days, as hours, minutes and seconds, or from minutes or seconds on."""
    sign, seconds = "-" if number < 0 else "", round(abs(number) * _SECONDS)
    if unit == "s":
        return f"{sign}{seconds}"
    minutes, seconds = divmod(seconds, 60)
    if unit == "m":
        return f"{sign}{minutes}:{seconds:02}"
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _plain(raw: str, number: float) -> str:
    """Return a number's digits: as stored where those are plain, without what floating point adds."""
    if _DIGITS.fullmatch(raw) and len(raw.lstrip("-").replace(".", "")) <= 15:
        return raw
    if abs(number) < 1e21 and number == int(number):
        return raw if raw.lstrip("-").isdigit() else f"{Decimal(raw):.0f}"
    return f"{number:.15g}"


def _number(number: float) -> Scalar:
    return int(number) if abs(number) < 2**53 and number == int(number) else number
