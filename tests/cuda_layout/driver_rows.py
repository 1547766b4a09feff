#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
driver_rows.py HEADER < ROWS: do the rows of wrappers/cuda/driver_calls.def say what cudaTypedefs.h says? Each
row has a version that the header has, with as many arguments; and no version in between is without a row,
since its arguments may be others. A row is `row(symbol, base, since, per_thread, argument...)`.
"""

import collections
import re
import sys


def header_types(text):
    """{(base, version, suffix): number of arguments}."""
    text = re.sub(r"\s+", " ", text)
    found = re.findall(r"\(CUDAAPI \*PFN_(\w+?)_v(\d+)(_pt[sd][zs])?\)\(([^)]*)\)", text)
    return {(base, int(version), suffix): 0 if arguments == "void" else arguments.count(",") + 1
            for base, version, suffix, arguments in found}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        types = header_types(file.read())
    rows, faults = collections.defaultdict(set), []
    for line in re.findall(r"row\(([^()]*)\)", sys.stdin.read()):
        symbol, base, since, per_thread, *arguments = [word.strip() for word in line.split(",")]
        suffix = re.sub(r".*(?=_pt[sd][zs]$)", "", symbol) if int(per_thread) else ""
        key = base, int(since), suffix
        rows[base, suffix].add(int(since))
        n = 0 if arguments == ["none"] else len(arguments)
        if types.get(key) != n:
            faults.append(f"{symbol}: {n} arguments in the row, {types.get(key)} in the header for {key}")
    for base, version, suffix in types:
        known = rows.get((base, suffix), set())
        if known and version > min(known) and version not in known:
            faults.append(f"{base} has a version {version}{suffix}, which has no row")
    print("\n".join(faults) or f"{sum(map(len, rows.values()))} rows of the driver are as in the header")
    return 1 if faults or not rows else 0


sys.exit(main())
