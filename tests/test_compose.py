"""What the compose file promises about the server it starts."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

COMPOSE = Path(__file__).parents[1] / "docker-compose.yml"


@pytest.fixture
def qdrant() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]["qdrant"]


def _environment(qdrant: dict[str, Any]) -> list[str]:
    return list(qdrant["environment"])


def test_server_is_pinned_to_an_exact_version_of_1_19_or_later(qdrant: dict[str, Any]) -> None:
    pin = re.fullmatch(r"qdrant/qdrant:v(\d+)\.(\d+)\.(\d+)", qdrant["image"])
    assert pin is not None
    assert tuple(map(int, pin.groups())) >= (1, 19, 0)


def test_points_are_kept_in_a_named_volume(qdrant: dict[str, Any]) -> None:
    compose = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    volume, _, target = qdrant["volumes"][0].partition(":")
    assert target == "/qdrant/storage"
    assert volume in compose["volumes"]


def test_ports_are_open_on_loopback_only(qdrant: dict[str, Any]) -> None:
    assert qdrant["ports"] == ["127.0.0.1:6333:6333", "127.0.0.1:6334:6334"]


def test_health_check_uses_what_the_image_has(qdrant: dict[str, Any]) -> None:
    kind, shell, flag, script = qdrant["healthcheck"]["test"]
    assert (kind, shell, flag) == ("CMD", "bash", "-c")
    assert "/readyz" in script
    assert not re.search(r"\b(curl|wget|nc|grep|cat)\b", script)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the health check is a bash script")
@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False), (None, False)])
def test_health_check_follows_the_answer_of_readyz(
    qdrant: dict[str, Any], status: int | None, healthy: bool
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" and status else 404)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script = qdrant["healthcheck"]["test"][3].replace("$$", "$").replace("6333", str(server.server_port))
    if status is None:  # nobody listens
        server.shutdown()
        server.server_close()
    try:
        done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=20, check=False)
    finally:
        if status is not None:
            server.shutdown()
            server.server_close()
    assert (done.returncode == 0) is healthy


def test_server_sends_no_telemetry(qdrant: dict[str, Any]) -> None:
    assert "QDRANT__TELEMETRY_DISABLED=true" in _environment(qdrant)


@pytest.mark.parametrize(
    ("key", "passed"),
    [("s3cret", "QDRANT__SERVICE__API_KEY=s3cret"), ("", "STRATA_NO_API_KEY"), (None, "STRATA_NO_API_KEY")],
)
def test_key_is_handed_on_only_when_it_is_set(qdrant: dict[str, Any], key: str | None, passed: str) -> None:
    [entry] = [entry for entry in _environment(qdrant) if "API_KEY" in entry]

    def substitute(match: re.Match[str]) -> str:
        assert match["name"] == "QDRANT_API_KEY"
        return {"+": match["word"] if key else "", "-": key or match["word"]}[match["operator"]]

    assert re.sub(r"\$\{(?P<name>\w+):(?P<operator>[+-])(?P<word>[^}]*)\}", substitute, entry) == passed
