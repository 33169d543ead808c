"""The ground that the other tests stand on holds."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_connecting_beyond_loopback_is_an_error(method: str) -> None:
    with socket.socket() as sock, pytest.raises(AssertionError, match="loopback only"):
        getattr(sock, method)(("192.0.2.1", 9))


def test_sending_beyond_loopback_is_an_error() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(AssertionError, match="loopback only"):
        sock.sendto(b"x", ("192.0.2.1", 9))


def test_looking_up_a_name_is_an_error() -> None:
    with pytest.raises(AssertionError, match="loopback only"):
        socket.getaddrinfo("example.org", 443)


def test_a_loopback_server_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_the_workspace_lies_outside_the_repository(tmp_path: Path) -> None:
    home = Path(os.environ["STRATA_HOME"])
    assert home.is_relative_to(tmp_path)
    assert not home.is_relative_to(ROOT)


def test_models_are_taken_offline() -> None:
    assert (os.environ["HF_HUB_OFFLINE"], os.environ["STRATA_OFFLINE"]) == ("1", "1")
