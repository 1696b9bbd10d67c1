"""Sphinx's settings for the site that `./run docs` makes of the pages, the headers and the Python package."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs/site"), str(ROOT / "python")]

project = "Gallop"
author = "the developers of Gallop"
version = release = ".".join(
    re.findall(r"^#define GAL_VERSION_\w+ (\d+)$", (ROOT / "include/gallop/base.h").read_text(), flags=re.M))
html_title = f"Gallop {release}"

exclude_patterns = ["docs/site", "**/node_modules", "**/target", "**/dist", "**/build", "**/.*"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False

# The pages' links are GitHub's: to headings by their words, to files by their paths.
myst_heading_anchors = 6
suppress_warnings = ["misc.highlighting_failure"]  # the contract's text and csv have no lexer

# Python: types as they are written; what is not needed to read the package is not installed.
autodoc_mock_imports = ["torch", "scipy", "gallop.torch_layers"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"
