"""Shapes of secrets that need no label: what providers issue, key blocks, connection strings, headers.

The named groups that begin with ``value`` are what goes; a pattern without one goes whole.
"""

from __future__ import annotations

import re

PROVIDER_TOKENS = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"  # AWS access key id
    r"|gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,100}"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,64}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,200}|xapp-\d-[A-Za-z0-9-]{20,200}"
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}|whsec_[A-Za-z0-9+/=]{24,64}"
    r"|sk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20,200}|sk-[A-Za-z0-9]{40,64}"
    r"|AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,300}"
    r"|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"
    r"|hf_[A-Za-z0-9]{30,40}|api_org_[A-Za-z0-9]{30,40}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250}"
    r"|(?:AC|SK)[0-9a-f]{32}|key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2}"
    r"|dop_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"
    r"|hvs\.[A-Za-z0-9_-]{24,200}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|lin_api_[A-Za-z0-9]{40}"
    r"|nvapi-[A-Za-z0-9_-]{60,70}|gsk_[A-Za-z0-9]{40,60}|r8_[A-Za-z0-9]{37}|dapi[0-9a-f]{32}"
    r"|ATATT3[A-Za-z0-9_=-]{100,250}|secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60}|figd_[A-Za-z0-9_-]{40,60}"
    r"|\d{8,10}:AA[A-Za-z0-9_-]{33}"  # Telegram bot
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"  # JSON web token
    r")(?![A-Za-z0-9_])"
)
WEBHOOKS = re.compile(
    r"https://(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/"
    r"|[\w-]+\.webhook\.office\.com/webhookb2/)(?P<value>[\w/@.-]{20,300})"
)
KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<kind>(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----"
    r"(?P<value>(?:(?!-----).){0,400}?[A-Za-z0-9+/]{32}.*?)"
    r"(?:-----END (?P=kind)-----|(?=\n\s*\n\s*[^\sA-Za-z0-9+/=:])|\Z)",
    re.DOTALL,
)
CONNECTION = re.compile(
    r"(?:(?<=;)|(?<=[\"'\s]))\s?(?:AccountKey|SharedAccessKey|Password|Pwd)\s?=\s?(?P<value>[^;\s\"']{4,200})",
    re.IGNORECASE,
)
SIGNED_QUERY = re.compile(
    r"[?&](?:sig|signature|x-amz-signature|x-amz-security-token|api_?key|access_token|auth_token|token|client_secret)"
    r"=(?P<value>[^&\s\"'<>#]{12,500})",
    re.IGNORECASE,
)
HEADER = re.compile(
    r"\b(?:Bearer|Basic|Digest|Token)[ \t]+(?P<value>[A-Za-z0-9+/=._~-]{12,2000})|"
    r"\b(?:X-)?(?:Api|Auth|Access|Vault)-?(?:Key|Token):[ \t]*(?P<value2>[^\s\"',;]{8,500})",
    re.IGNORECASE,
)
COMMAND_LINE = re.compile(
    r"\bcurl\b[^\n]{0,200}?(?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{4,100})"
    r"|\bsshpass -p[ ]?[\"']?(?P<value2>[^\s\"']{4,100})"
    r"|(?<=\s)--(?:password|passwd|token|secret|api-key)[ =][\"']?(?P<value3>[^\s\"'|&;]{6,200})"
)
XML = re.compile(
    r"<(?:[\w.-]+:)?[\w.-]*(?:password|passwd|secret|token|api-?key)>(?P<value>[^<\s]{4,500})</",
    re.IGNORECASE,
)
XML_ATTRIBUTE = re.compile(
    r"\b(?:key|name)=[\"'][\w.:-]*(?:password|passwd|secret|token|api-?key)[\"']\s+value=[\"'](?P<value>[^\"'\n]{4,500})[\"']",
    re.IGNORECASE,
)
NETRC = re.compile(r"\blogin\s+\S+\s+password\s+(?P<value>\S{4,200})")
DOCKER_ENV = re.compile(
    r"^(?:ENV|ARG|setenv|set)[ \t]+(?:-\w+[ \t]+)*\w*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY)\w*"
    r"[ \t]+[\"']?(?P<value>[^\s\"']{4,500})",
    re.MULTILINE | re.IGNORECASE,
)

ANNOUNCED = (
    (WEBHOOKS, ("webhook", "hooks.slack.com")),
    (KEY_BLOCK, ("-----BEGIN ",)),
    (CONNECTION, (";",)),
    (SIGNED_QUERY, ("=",)),
    (HEADER, ("earer", "EARER", "asic", "igest", "oken", "OKEN", "Key", "key", "KEY")),
    (COMMAND_LINE, ("curl", "sshpass", "--")),
    (XML, ("</",)),
    (XML_ATTRIBUTE, ("value=",)),
    (NETRC, ("login",)),
    (DOCKER_ENV, ("ENV", "ARG", "set")),
)
"""Each with texts of which at least one stands in whatever it matches."""
