# The site: every page and link of it, the headers' reference complete, no warning.
need python3 python3-venv
build_docs
python3 - <<'LOOK'
import html
import re
import sys
from pathlib import Path

site = Path("out/docs")
declared = set()
for header in Path("include/gallop").glob("*.h"):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    declared |= set(re.findall(r"GAL_API[^;(]*?(gal_\w+)\(", text)) | set(re.findall(r"typedef \w+ (gal_\w+) \{", text))
anchors = "".join(page.read_text() for page in (site / "reference").glob("*.html"))
wrong = [f"the reference lacks {name}" for name in sorted(declared) if f'id="c.{name}"' not in anchors]
for page in site.rglob("*.html"):
    for link in re.findall(r'(?:href|src)="([^"#?:]+)(?:[#?][^":]*)?"', page.read_text()):
        if not (page.parent / html.unescape(link)).exists():
            wrong.append(f"{page}: no {link}")
print("\n".join(wrong) if wrong else f"{len(declared)} declarations, {len(list(site.rglob('*.html')))} pages")
sys.exit(bool(wrong))
LOOK
