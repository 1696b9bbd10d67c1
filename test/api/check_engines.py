"""Checks the names of fields in the bindings of engines/ against the public headers, by their text: what the tests can
do without cargo and mono. Sizes and offsets are compared where those are: test/platforms/rust.sh and unity.sh.

    python3 test/api/check_engines.py

Prints each mistake and ends with status 1 if there is any.
"""

from __future__ import annotations

import re
import sys

from check_layout import ROOT, headers


def rust_structs() -> dict[str, list[str]]:
    """Of the list in sys.rs: `gal_name {`, and a line a field."""
    text = (ROOT / "engines/rust/src/sys.rs").read_text(encoding="utf-8")
    listed = text[text.index("\nc_structs! {"):]
    listed = listed[: listed.index("\n}")]
    return {name: re.findall(r"^\s+(\w+): ", body, flags=re.M)
            for name, body in re.findall(r"^    (gal_\w+) \{(.*?)^    \}", listed, flags=re.M | re.S)}


def unity_structs() -> dict[str, list[str]]:
    """Of Structs.cs: [CStruct("gal_name"), the fields' names with capitals in place of underscores."""
    text = (ROOT / "engines/unity/Runtime/Structs.cs").read_text(encoding="utf-8")
    text = re.sub(r"//.*", "", text)
    found = {}
    for name, body in re.findall(r'\[CStruct\("(\w+)"\).*?\n    \{(.*?)\n    \}', text, flags=re.S):
        fields = ",".join(re.findall(r"public (?:fixed )?[\w*]+ ([^;(]+);", body)).split(",")
        found[name] = [re.sub("[A-Z]", lambda m: "_" + m[0].lower(), re.sub(r"\[.*", "", f).strip()) for f in fields]
    return found


def main() -> int:
    declared, wrong, count = headers(), [], 0
    for place, structs in (("engines/rust/src/sys.rs", rust_structs()),
                           ("engines/unity/Runtime/Structs.cs", unity_structs())):
        count += len(structs)
        wrong += [f"{place}: {name} has {', '.join(fields)}; the headers say {', '.join(declared.get(name, []))}"
                  for name, fields in structs.items() if fields != declared.get(name)]
        if len(structs) < 10:
            wrong.append(f"{place}: {len(structs)} structs found, which cannot be all")
    print("\n".join(wrong) if wrong else f"{count} structs as in the headers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
