from __future__ import annotations

import os
from pathlib import Path

import pytest

from strata_rag.config.files import UnreadableFile, read_bytes


def refusal(path: Path) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as caught:
        read_bytes(path)
    return caught.value


def test_a_missing_file_names_its_near_neighbours(tmp_path: Path) -> None:
    (tmp_path / "handbook.yaml").touch()
    (tmp_path / "other.txt").touch()
    error = refusal(tmp_path / "hanbook.yaml")
    assert error.problem == "expected a YAML file, found no such file"
    assert error.hint == f"did you mean {tmp_path / 'handbook.yaml'}?"


def test_a_missing_file_with_no_near_name_lists_the_yaml_files(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "c.txt"):
        (tmp_path / name).touch()
    assert refusal(tmp_path / "zzzzzzzzz").hint == f"{tmp_path} holds a.yml, b.yaml"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no" / "a.yaml").hint == f"the folder {tmp_path / 'no'} does not exist either"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert error.problem == "expected a YAML file, found a folder"
    assert error.hint == f"no .yaml file stands in {tmp_path}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").problem == "expected a YAML file, found a device or pipe"


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("a" * 5000)).problem.startswith("expected a ")
