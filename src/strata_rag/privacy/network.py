"""IP addresses, and user names with passwords in URLs."""

from __future__ import annotations

import ipaddress
import re

from strata_rag.privacy.span import IP, URL_CREDENTIALS, Span

_V4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d|-\d)")
_V6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:|::)[0-9A-Fa-f:]{2,}(?:(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])")
_VERSION = re.compile(
    r"(?:\b(?:version|versions|ver|release|build|v|section|chapter|rfc)\W{0,3}|[A-Za-z]/|[=<>~!]=|[~^])\Z",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"""://([^\s/?#@"'<>:\\]*:(?!\d{1,5},)([^\s/?#"'<>\\]{1,256}))@(?=[\w\[$])""")
_BLANK = re.compile(
    r"\$\{?\w+\}?|\$\([^)]*\)|\{\{?[^}]*\}?\}|<[^>]*>|%\(?\w+\)?s?|[*x.]+|\[[A-Z_a-z0-9-]+\]", re.IGNORECASE
)


def find_ips(text: str) -> list[Span]:
    """Return IPv4 and IPv6 addresses, without port or prefix length; version numbers are left alone."""
    found = [
        Span(match.start(), match.end(), IP)
        for match in _V4.finditer(text)
        if _is_address(match.group())
        and not match.group().endswith(".0.0.0")
        and not _VERSION.search(text, max(0, match.start() - 12), match.start())
    ]
    if ":" in text:
        found += [
            Span(match.start(), match.end(), IP) for match in _V6.finditer(text) if _is_v6(match.group())
        ]
    return sorted(found)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_v6(text: str) -> bool:
    """Tell an address from a C++ name, a time or a MAC address."""
    groups = [group for group in text.split(":") if group]
    return (
        len(groups) > 1
        and any(map(str.isdigit, "".join(groups)))
        and (len(groups) > 2 or len(groups[0]) > 2)
        and _is_address(text)
    )


def find_url_credentials(text: str) -> list[Span]:
    """Return ``user:password`` in front of a URL's host; placeholders such as ``${PASSWORD}`` are no credentials."""
    if "://" not in text:
        return []
    return [
        Span(match.start(1), match.end(1), URL_CREDENTIALS)
        for match in _USERINFO.finditer(text)
        if not _BLANK.fullmatch(match.group(2))
    ]
