"""The public headers as pages of Sphinx's C domain: reference/<header>.rst, an entry a declaration.

A comment belongs to the declarations below it, up to the next blank line; within a struct or an enumeration to what it
stands behind or above. A comment of its own is prose. Whatever the parser does not understand ends the build.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

COMMENT = re.compile(r"/\*.*?\*/", re.S)


@dataclass
class Member:
    """A field or an enumerator."""

    text: str
    doc: str = ""


@dataclass
class Unit:
    """Prose (no signatures), or declarations that share a comment."""

    doc: str
    signatures: list[tuple[str, str]] = field(default_factory=list)  # directive, text
    members: list[Member] = field(default_factory=list)


def plain(comment: str) -> str:
    """A comment's text without its stars."""
    body = comment[2:-2].strip("\n")
    lines = [re.sub(r"^ \* ?", "", line) for line in body.splitlines()]
    first, rest = lines[0].strip(), textwrap.dedent("\n".join(lines[1:]))
    return (first + "\n" + rest).strip()


def split(text: str, end: str) -> list[Member]:
    """Members of a body, each up to `end`; comments behind one on its line are its own."""
    out, at, pending, held = [], 0, "", ""
    while at < len(text):
        found = COMMENT.match(text, at)
        if found:
            pending, at = plain(found.group()), found.end()
        elif text[at] == end:
            at += 1
            behind = re.compile(r"[ \t]*(/\*.*?\*/)", re.S).match(text, at)
            if behind:
                at = behind.end()
            out.append(Member(" ".join(held.split()), plain(behind.group(1)) if behind else pending))
            pending = held = ""
        else:
            held += text[at]
            at += 1
    if held.strip():  # the last enumerator has no comma
        out.append(Member(" ".join(held.split()), pending))
    return out


def fields(members: list[Member]) -> list[Member]:
    """`float x, y` as two members of the same comment."""
    out = []
    for member in members:
        several = re.fullmatch(r"([\w ]+?)((?:\b\w+, )+\w+)", member.text)
        names = several.group(2).split(", ") if several else []
        out += [Member(f"{several.group(1).strip()} {n}", member.doc) for n in names] or [member]
    return out


def declaration(text: str) -> tuple[tuple[str, str], list[Member]]:
    """The directive of a declaration that ends with a semicolon, and its members."""
    text = text.removesuffix(";").strip()
    braced = re.fullmatch(r"typedef (struct|enum) (\w+) \{(.*)\} \2", text, re.S)
    if braced and braced.group(1) == "struct":
        return ("struct", braced.group(2)), fields(split(braced.group(3), ";"))
    if braced:
        return ("enum", braced.group(2)), split(braced.group(3), ",")
    text = " ".join(COMMENT.sub("", text).split())
    opaque = re.fullmatch(r"typedef struct (\w+) \1", text)
    if opaque:
        return ("struct", opaque.group(1)), []
    if text.startswith("typedef "):
        return ("type", text.removeprefix("typedef ")), []
    if re.fullmatch(r"[\w *]+\(.*\)", text):  # GAL_API is that of libraries that may be shared
        return ("function", text.removeprefix("GAL_API ")), []
    raise ValueError(f"not understood: {text}")


def units(header: str) -> tuple[str, list[Unit]]:
    """The comment at the head of a file, and what is declared."""
    head = COMMENT.match(header)
    text = header[head.end():] if head else header
    text = re.sub(r"^#if(?:def __cplusplus| defined).*?^#endif\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^#(?:ifndef|endif|include|define \w+_H\b).*\n", "", text, flags=re.M)
    out: list[Unit] = []
    for block in re.split(r"\n\s*\n(?=\S)", text.strip()):
        out += units_of(block)
    return plain(head.group()) if head else "", out


def units_of(block: str) -> list[Unit]:
    """What stands together without a blank line: comments, each with the declarations below it."""
    out, at = [], 0
    while at < len(block):
        comment = COMMENT.match(block, at)
        macro = re.compile(r"#define (\w+) .*\n?").match(block, at)
        if comment:
            out.append(Unit(plain(comment.group())))
            at = comment.end()
        elif macro:
            out = out or [Unit("")]
            out[-1].signatures.append(("macro", macro.group(1)))
            at = macro.end()
        elif block[at].isspace():
            at += 1
        else:
            end = end_of(block, at)
            signature, members = declaration(block[at:end])
            out = out or [Unit("")]
            out[-1].signatures.append(signature)
            out[-1].members += members
            at = end
    return out


def end_of(text: str, at: int) -> int:
    """Behind the semicolon that ends the declaration at `at`."""
    depth = 0
    while True:
        comment = COMMENT.match(text, at)
        if comment:
            at = comment.end()
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if text[at - 1] == ";" and depth == 0:
            return at


def prose(text: str, roles: dict[str, str], here: str = "") -> str:
    """A comment as reStructuredText: names of the interface and pages become links, but for the name that it is about;
    indented lines stay as they are."""
    out = []
    for part in re.split(r"\n\s*\n", text):
        if part.strip() and all(line.startswith("    ") for line in part.splitlines()):
            out.append("::\n\n" + part)
            continue
        safe = re.sub(r"([\\*`|])", r"\\\1", " ".join(part.split()))
        safe = re.sub(r"\bdocs/(\w+)\.md\b", r":doc:`docs/\1.md </docs/\1>`", safe)
        safe = re.sub(r"\b(?:gal|GAL)_\w+", lambda m: link(m.group(), roles, here), safe)
        safe = re.sub(r"(?<=[\w`]`)(?=\()", r"\\ ", safe)  # a role's end must not touch a word
        out.append(re.sub(r"(\w)_(?=\W|$)", r"\1\\_", safe))
    return "\n\n".join(out)


def link(name: str, roles: dict[str, str], here: str) -> str:
    return f":c:{roles[name]}:`{name}`" if name in roles and name != here else f"``{name}``"


ROLES = {"function": "func", "struct": "struct", "enum": "enum", "type": "type", "macro": "macro"}


def name_of(signature: str) -> str:
    """What a signature declares."""
    pointer = re.search(r"\(\*(\w+)\)", signature)
    plain_name = re.search(r"(\w+)(?=\(|$)", signature)
    return (pointer or plain_name).group(1)  # type: ignore[union-attr]


def roles_of(all_units: list[Unit]) -> dict[str, str]:
    """Every name of the interface, and the role that links it."""
    roles = {name_of(text): ROLES[kind] for unit in all_units for kind, text in unit.signatures}
    enums = [unit for unit in all_units if unit.signatures and unit.signatures[0][0] == "enum"]
    roles.update({m.text.split()[0]: "enumerator" for unit in enums for m in unit.members})
    return roles


def page(title: str, head: str, found: list[Unit], roles: dict[str, str]) -> str:
    """A header's page."""
    lines = [title, "=" * len(title), "", prose(head, roles), ""]
    for unit in found:
        if not unit.signatures:
            lines += [prose(unit.doc, roles), ""]
            continue
        for kind, group in itertools.groupby(unit.signatures, key=lambda s: s[0]):
            texts = [text for _, text in group]
            start = f".. c:{kind}:: "
            lines += [start + ("\n" + " " * len(start)).join(texts), ""]
        about = prose(unit.doc, roles, name_of(unit.signatures[-1][1]))
        lines += [textwrap.indent(about, "   "), ""]
        inner = "enumerator" if unit.signatures[-1][0] == "enum" else "member"
        for member in unit.members:
            lines += [f"   .. c:{inner}:: {member.text}", "",
                      textwrap.indent(prose(member.doc, roles), " " * 6), ""]
    return "\n".join(lines) + "\n"


def write(include: Path, out: Path) -> None:
    """A page for each header of include/gallop."""
    out.mkdir(parents=True, exist_ok=True)
    read = {p.name: units(p.read_text(encoding="utf-8")) for p in sorted(include.glob("*.h"))}
    roles = roles_of([unit for _, found in read.values() for unit in found])
    for name, (head, found) in read.items():
        text = page(f"gallop/{name}", head, found, roles)
        (out / f"{name.removesuffix('.h')}.rst").write_text(text, encoding="utf-8")
