# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the tables in wrappers/io: rows(path) returns a list of Row."""

import collections
import os
import re

# kind: CALL, VOID, NONE or HAND; cells: [(C type, name)], None if the row has none; table: the file's name.
Row = collections.namedtuple("Row", "kind type name role wants before after cells table", defaults=[None])


def split(text):
    """At the commas that are in no parentheses."""
    parts, depth, at = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[at:i].strip())
            at = i + 1
    return parts + [text[at:].strip()]


def bodies(text):
    """(macro, what stands in its parentheses) of each row."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for found in re.finditer(r"^IO_(CALL|VOID|NONE|HAND)\(", text, re.M):
        end, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield found.group(1), " ".join(text[found.end():end - 1].split())


def parameter(text):
    """(C type, name) of `FILE *stream`."""
    at = re.search(r"\w+$", text).start()
    return text[:at].strip(), text[at:]


def rows(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = []
    for macro, body in bodies(text):
        parts = split(body)
        if macro == "HAND":
            found.append(Row(macro, "int", parts[0], parts[1], None, None, None, None))
        elif macro == "VOID":
            cells = [] if parts[5] == "(void)" else [parameter(p) for p in split(parts[5].strip("()"))]
            found.append(Row(macro, "void", *parts[:5], cells))
        elif macro == "NONE":
            found.append(Row(macro, *parts[:6], []))
        else:
            cells = [tuple(split(cell.strip("()"))) for cell in parts[6:]]
            found.append(Row(macro, *parts[:6], cells))
    return [row._replace(table=os.path.basename(path)) for row in found]
