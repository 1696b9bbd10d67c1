"""Lays out what the site is made of: python3 docs/site/stage.py FOLDER.

The folder gets what the checkout has, laid out alike, so that a link in a page leads where it leads there, the site's
own index, and a page for each public header.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import headers

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {"build", "dist", "node_modules", "out", "target", ".git", ".venv", ".ruff_cache", ".pytest_cache"}
FOLDERS = ("bench", "cli", "cmake", "docs", "engines", "fuzz", "include", "models", "packaging", "python", "samples",
           "src", "test", "web")


def unlisted(index: str, pages: list[str]) -> str:
    """Lines of a table of contents: the pages that the index does not name."""
    named = set(re.findall(r"^   (?:.*<)?([\w/.-]+)>?$", index, flags=re.M))
    return "\n".join(f"   {page}" for page in pages if page not in named)


def filled(index: str) -> str:
    """The index with what it does not name: headers, and pages in the last table."""
    headings = [f"reference/{p.stem}" for p in sorted((ROOT / "include/gallop").glob("*.h"))]
    pages = [p.relative_to(ROOT) for p in sorted(ROOT.rglob("*.md"))]
    ours = [str(p.with_suffix("")) for p in pages if not NOT_OURS & set(p.parts)]
    return index.replace("{headers}", unlisted(index, headings)).replace("{more}", unlisted(index, ours))


def without_folders(page: Path) -> str:
    """A page's text whose links to folders are words: a site has no listing of them."""

    def kept(link: re.Match[str]) -> str:
        return link.group(1) if (page.parent / link.group(2)).is_dir() else link.group()

    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)\)", kept, page.read_text(encoding="utf-8"))


def main() -> int:
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in FOLDERS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, out / name, ignore=shutil.ignore_patterns(*NOT_OURS))
    for path in [p for p in ROOT.iterdir() if p.is_file()]:
        shutil.copy(path, out)
    for page in out.rglob("*.md"):
        page.write_text(without_folders(page), encoding="utf-8")
    index = (ROOT / "docs/site/index.rst").read_text(encoding="utf-8")
    (out / "index.rst").write_text(filled(index), encoding="utf-8")
    headers.write(ROOT / "include/gallop", out / "reference")
    shutil.copy(ROOT / "docs/site/python.rst", out / "reference/python.rst")
    return 0


if __name__ == "__main__":
    sys.exit(main())
