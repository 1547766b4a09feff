# SPDX-License-Identifier: BSD-3-Clause
"""Counters, call stacks and samples together: the settings, and the paths that otf2-print shows."""

import os
import re
import subprocess

from patience import HANG_S
from small_tables import with_small_tables

METRICS = ["rusage:minflt", "rusage:utime"]
SETTINGS = {"SPUR_METRICS": ",".join(METRICS), "SPUR_UNWIND": "10", "SPUR_SAMPLE": "100"}
KINDS = ("Enter", "Leave", "Sample")
EVENT = re.compile(r"CALLING_CONTEXT_(ENTER|LEAVE|SAMPLE) ")
NODE = re.compile(r'\s+[?+* ]"(.*?)(?:@[^"@]*:\d+)?" <\d+>$')


def printed_paths(run, archive):
    """{"Enter", "Leave", "Sample": [path]}, each a list of names, the innermost first."""
    words = ["otf2-print", "--unwind-calling-context",
             os.path.join(run.scratch, archive, "traces.otf2")]
    printed = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG_S,
                             env=with_small_tables(), check=False)
    run.equal([printed.returncode, printed.stderr], [0, b""], "status and errors of otf2-print")
    found, path = {kind: [] for kind in KINDS}, None
    for line in printed.stdout.decode().splitlines():
        event, node = EVENT.match(line), NODE.match(line)
        if event:
            path = []
            found[event.group(1).capitalize()].append(path)
        elif node and path is not None:
            path.append(node.group(1))
        else:
            path = None
    return found


def combined(trace, run, archive):
    """All three are there, for each event: the paths."""
    paths, kinds = printed_paths(run, archive), trace.kinds()
    got = {kind: len(paths[kind]) for kind in KINDS}
    run.equal(got, {kind: kinds[f"CallingContext{kind}"] for kind in KINDS}, "paths printed")
    empty = [kind for kind in KINDS for path in paths[kind] if not path]
    run.equal(empty, [], "paths without a name")
    run.equal(kinds["Metric"], sum(got.values()), "values, for each of these events")
    run.equal("Enter" in kinds or "Leave" in kinds, False, "regions without a context")
    members = {trace.archive.string(values["name"])
               for _, values in trace.archive.spaces["MetricMember"].values()}
    run.equal(members, set(METRICS), "metrics")
    return paths


def with_chain(paths, *chain):
    """How many of the paths have these names below one another, others between them or not."""
    def has(path):
        names = iter(path)
        return all(any(wanted in name for name in names) for wanted in chain)
    return sum(map(has, paths))
