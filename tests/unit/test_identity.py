"""The workspace of a folder."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memoranda.workspaces.recognition import WorkspaceIdentity, identify
from memoranda.workspaces.repositories import normalised_remote
from tables import each


def repository(folder: Path, url: str | None = None) -> Path:
    """Create the files of a git repository."""
    git = folder / ".git"
    git.mkdir(parents=True)
    section = f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/*\n' if url else ""
    (git / "config").write_text(f"[core]\n\tbare = false\n{section}")
    return folder


def test_every_folder_of_a_repository_is_one_workspace(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", "git@example.com:acme/shop.git")
    deep = root / "src" / "pricing"
    deep.mkdir(parents=True)
    found = identify(str(deep))
    assert found == identify(str(root))
    assert (found.name, found.root) == ("shop", str(root))
    assert found.aliases == (f"git:{root}/.git", "remote:example.com/acme/shop")


def test_all_worktrees_are_one_workspace(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    private = root / ".git" / "worktrees" / "fix"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n")
    tree = tmp_path / "shop-fix"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {private}\n")
    assert identify(str(tree)) == identify(str(root))


def test_a_submodule_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", "https://example.com/acme/shop")
    own = root / ".git" / "modules" / "lib"
    own.mkdir(parents=True)
    (own / "config").write_text('[remote "origin"]\nurl = https://example.com/acme/lib\n')
    module = root / "lib"
    module.mkdir()
    (module / ".git").write_text("gitdir: ../.git/modules/lib\n")
    found = identify(str(module))
    assert found.name == "lib"
    assert found.aliases == (f"git:{own}", "remote:example.com/acme/lib")


def test_folders_of_the_same_name_are_different_workspaces(tmp_path: Path) -> None:
    for parent in ("one", "two"):
        (tmp_path / parent / "shop").mkdir(parents=True)
    one, two = (identify(str(tmp_path / parent / "shop")) for parent in ("one", "two"))
    assert one.name == two.name == "shop"
    assert not set(one.aliases) & set(two.aliases)


def test_a_second_clone_is_recognised_by_its_remote(tmp_path: Path) -> None:
    one = repository(tmp_path / "one", "git@example.com:acme/shop.git")
    two = repository(tmp_path / "two", "https://token@Example.com/acme/shop")
    assert set(identify(str(one)).aliases) & set(identify(str(two)).aliases) == {
        "remote:example.com/acme/shop"
    }


def test_a_folder_without_git_is_known_by_its_real_path(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder)
    expected = "plain", str(folder), (f"path:{folder}",)
    for way in (folder, link, tmp_path / "plain" / ".." / "plain", f"{folder}/", f"{folder}/."):
        found = identify(str(way))
        assert (found.name, found.root, found.aliases) == expected
    assert identify("/").name == "root"


def test_a_folder_that_is_gone_still_has_an_identity(tmp_path: Path) -> None:
    assert identify(str(tmp_path / "gone" / "deep")).name == "deep"


def test_a_folder_with_more_than_is_looked_at_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoranda.workspaces.repositories.MAX_NEIGHBOURS", 1)
    for name in ("one", "two", "three"):
        repository(tmp_path / name)
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always")
        identify(str(tmp_path / "gone"))
        gc.collect()
    assert [str(one.message) for one in left] == []


@each(
    ("url", "expected"),
    [
        ("https://example.com/acme/shop.git", "example.com/acme/shop"),
        ("https://example.com/acme/shop/", "example.com/acme/shop"),
        ("https://user:secret@example.com/acme/shop.git", "example.com/acme/shop"),
        ("https://ghp_secret@EXAMPLE.com:8443/acme/shop", "example.com/acme/shop"),
        ("git@example.com:acme/shop.git", "example.com/acme/shop"),
        ("example.com:acme/shop", "example.com/acme/shop"),
        ("https://example.com/Acme/SHOP.git", "example.com/acme/shop"),
        ("https://example.com//acme//shop.git/", "example.com/acme/shop"),
        ("git+ssh://git@example.com/acme/shop.git", "example.com/acme/shop"),
        ("ssh://git@ssh.github.com:443/acme/shop.git", "github.com/acme/shop"),
        ("git@github.com-work:acme/shop.git", "github.com/acme/shop"),
        ("org-1@github.com:acme/shop.git", "github.com/acme/shop"),
        ("git@ssh.dev.azure.com:v3/acme/lamps/shop", "dev.azure.com/acme/lamps/shop"),
        ("https://acme@dev.azure.com/acme/lamps/_git/shop", "dev.azure.com/acme/lamps/shop"),
        ("ssh://git@[2001:db8::1]:22/acme/shop", "[2001:db8::1]/acme/shop"),
        ("C:\\git\\shop.git", None),
        ("C:/git/shop.git", None),
        ("\\\\server\\git\\shop", None),
        ("file://server/git/shop.git", None),
        ("ssh://git@example.com:2222/acme/shop.git", "example.com/acme/shop"),
        ("git://example.com/shop", "example.com/shop"),
        ("https://example.com/group/sub/shop.git", "example.com/group/sub/shop"),
        ("https://example.com/acme/shop.git?private_token=s3cr3t", "example.com/acme/shop"),
        ("https://odd/token@example.com/acme/shop", None),
        ("file:///srv/git/shop.git", None),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("", None),
    ],
)
def test_a_remote_is_known_by_host_and_path_alone(url: str, expected: str | None) -> None:
    assert normalised_remote(url) == expected


@given(st.text("abc:@/.-_ %", max_size=40))
def test_no_form_of_a_remote_contains_credentials(text: str) -> None:
    for url in (f"https://{text}:s3cr3t@example.com/acme/shop", f"ssh://{text}@example.com/a/b"):
        assert "s3cr3t" not in (normalised_remote(url) or "")


@pytest.mark.parametrize("password", ["p@ss", "a/b", "a:b@c", "%40", "p@ss/w:rd"])
def test_a_password_with_odd_characters_is_not_kept(tmp_path: Path, password: str) -> None:
    url = f"https://user:{password}@example.com/acme/shop.git"
    found = identify(str(repository(tmp_path / "shop", url)))
    assert password not in " ".join(found.aliases)
    assert "user" not in " ".join(found.aliases)


@pytest.mark.parametrize(
    "content",
    ["", "gitdir:", "gitdir: /nowhere/at/all", "gitdir: \0", "garbage\n" * 100, "gitdir: .git"],
)
def test_a_strange_git_file_is_no_trouble(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / ".git").write_text(content)
    found = identify(str(folder))
    assert found.aliases
    assert found.name


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\0",
        b"no section\n",
        b'[remote "origin"]\nurl\n',
        b'[remote "origin"]\nurl = %(x)s\n',
        b'[remote "origin"]\nurl = a:b\n[remote "origin"]\nurl = git@example.com:x/y\n',
        b"[core]\n" * 1_000,
    ],
)
def test_a_strange_configuration_is_no_trouble(tmp_path: Path, content: bytes) -> None:
    root = repository(tmp_path / "shop")
    (root / ".git" / "config").write_bytes(content)
    assert identify(str(root)).aliases[0] == f"git:{root}/.git"


@each(
    "folder", ["", ".", "..", "\0", "a\0b", "\ud800", "/\udcff/x", "x" * 5_000, "/" + "a/" * 3_000]
)
def test_a_folder_of_any_name_has_a_storable_identity(folder: str) -> None:
    found = identify(folder)
    for text in (found.name, found.root or "", *found.aliases):
        text.encode()
        assert "\0" not in text
    assert found.name


def test_links_in_a_circle_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert identify(str(tmp_path / "a" / "c")).aliases


def test_a_name_that_somebody_chose_is_a_label_and_no_path() -> None:
    found = WorkspaceIdentity.named("../../etc")
    assert (found.root, found.aliases) == (None, ("name:../../etc",))
    assert WorkspaceIdentity.named("a\0b\ud800").name == "a\u2400b\ufffd"
