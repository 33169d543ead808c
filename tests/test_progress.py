from __future__ import annotations

import pytest

from strata_rag.progress import Progress, Silent


def test_silent_progress_takes_every_call_and_shows_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    progress: Progress = Silent()
    progress.phase("reading")
    progress.phase("embedding", 3)
    progress.advance()
    progress.advance(2)
    progress.close()
    assert capfd.readouterr() == ("", "")
