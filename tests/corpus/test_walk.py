from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus.walk import WalkedFile, printable, walk_files

names = st.sampled_from(
    ["a", "b.md", "c.txt", ".hidden", ".strata", "node", "ü 漢.md", "-x", "a.md", "pyvenv.cfg", "\udcff.md"]
)
trees = st.recursive(
    st.just("file"), lambda inner: st.dictionaries(names, inner, max_size=4), max_leaves=12
).filter(lambda tree: isinstance(tree, dict))


def walked(root: Path, *, follow: bool = False) -> dict[str, WalkedFile]:
    files = list(walk_files(root, follow_symlinks=follow))
    by_path = {file.path: file for file in files}
    assert len(by_path) == len(files)
    return by_path


def plant(folder: Path, tree: dict[str, object]) -> None:
    for name, inner in tree.items():
        if isinstance(inner, dict):
            (folder / name).mkdir()
            plant(folder / name, inner)
        else:
            (folder / name).touch()


def listed(root: Path) -> set[str]:
    return {
        Path(folder, name).relative_to(root).as_posix()
        for folder, _, found in os.walk(root)
        for name in found
    }


def left_out(path: str, root: Path) -> bool:
    """Say by another road whether a rule leaves a file out: a hidden part, or a virtual environment above."""
    parts = path.split("/")
    folders = ["/".join(parts[: depth + 1]) for depth in range(len(parts) - 1)]
    environment = any((root / folder / "pyvenv.cfg").exists() for folder in folders)
    return environment or any(part.startswith(".") for part in parts)


@given(trees, st.booleans())
def test_every_file_is_there_once_and_left_out_only_by_a_rule(tree: dict[str, object], follow: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root, tree)
        found = walked(root, follow=follow)
        assert set(found) == listed(root)
        assert {path for path, file in found.items() if file.excluded} == {
            path for path in found if left_out(path, root)
        }
        assert not any(file.failed for file in found.values())


def test_files_come_by_name_within_each_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"b.md": "", "a": {"2.md": "", "10.md": ""}, "B.md": ""})
    assert list(walked(tmp_path)) == ["B.md", "a/10.md", "a/2.md", "b.md"]


def test_the_rule_that_leaves_a_file_out_is_named(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {".git": {"a.md": ""}, "env": {"pyvenv.cfg": "", "lib": {"b.md": ""}}, "docs": {".draft.md": ""}},
    )
    (tmp_path / "link.md").symlink_to("docs")
    assert {path: file.excluded for path, file in walked(tmp_path).items()} == {
        ".git/a.md": "hidden: .git",
        "docs/.draft.md": "hidden: .draft.md",
        "env/lib/b.md": "virtual environment: env",
        "env/pyvenv.cfg": "virtual environment: env",
        "link.md": "symbolic link (corpus.follow_symlinks is false)",
    }


def test_a_root_that_is_hidden_or_an_environment_itself_is_read(tmp_path: Path) -> None:
    root = tmp_path / ".notes"
    root.mkdir()
    plant(root, {"pyvenv.cfg": "", "a.md": ""})
    assert not any(file.excluded for file in walked(root).values())


def test_a_loop_of_symbolic_links_ends_and_each_folder_is_entered_once(tmp_path: Path) -> None:
    plant(tmp_path, {"docs": {"a.md": ""}, "other": {"b.md": ""}})
    (tmp_path / "docs" / "up").symlink_to(tmp_path)
    (tmp_path / "other" / "over").symlink_to(tmp_path / "docs")
    found = walked(tmp_path, follow=True)
    assert [path for path, file in found.items() if not file.excluded] == ["docs/a.md", "other/b.md"]
    assert found["docs/up"].excluded == "a folder that was read already under another name"
    assert found["other/over"].excluded == "a folder that was read already under another name"


def test_links_inside_the_root_are_read_only_when_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    elsewhere = root / "x" / ".elsewhere"
    elsewhere.mkdir(parents=True)
    plant(elsewhere, {"a.md": "", "b.md": ""})
    (root / "folder").symlink_to(elsewhere)
    (root / "one.md").symlink_to(elsewhere / "a.md")
    assert [path for path, file in walked(root, follow=True).items() if not file.excluded] == [
        "folder/a.md",
        "folder/b.md",
        "one.md",
    ]
    assert all(file.excluded for file in walked(root).values())


def test_a_link_that_leads_out_of_the_root_is_refused_by_name_even_when_links_are_followed(
    tmp_path: Path,
) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    plant(elsewhere, {"a.md": "", "b.md": ""})
    (root / "folder").symlink_to(elsewhere)
    (root / "one.md").symlink_to(elsewhere / "a.md")
    (root / "beside").symlink_to(tmp_path / "root2")
    (tmp_path / "root2").mkdir()
    reasons = {path: file.excluded for path, file in walked(root, follow=True).items()}
    assert reasons == dict.fromkeys(
        ("beside", "folder", "one.md"), "symbolic link that leads out of the corpus root"
    )


def test_a_link_to_itself_or_to_nothing_is_named_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    plant(tmp_path, {"z.md": ""})
    found = walked(tmp_path, follow=True)
    assert found["self.md"].failed.startswith("can't be looked at: ")
    assert found["gone.md"].excluded == "no regular file"
    assert found["z.md"] == WalkedFile("z.md")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_left_out_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert walked(tmp_path)["pipe.md"].excluded == "no regular file"


def test_a_folder_that_can_not_be_listed_is_named(tmp_path: Path) -> None:
    # Longer than a path may be: refused for every user, root included.
    inner = tmp_path
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(20):
            Path("d" * 250).mkdir()
            os.chdir("d" * 250)
            inner /= "d" * 250
    finally:
        os.chdir(here)
    [file] = walked(tmp_path).values()
    assert file.failed.startswith(("the folder can't be read: ", "can't be looked at: "))
    assert file.path.startswith("ddd")


def test_a_name_that_is_not_utf_8_is_shown_with_its_bytes() -> None:
    assert printable("a/\udcff\udc80.md") == r"a/\xff\x80.md"
    assert printable("ü 漢.md") == "ü 漢.md"
