# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PYTHON with call stacks, samples, and functions that are left out: those of a module by a filter, short
ones by SPUR_MIN_DURATION. The program counts and times its own calls. What is left out stays on the stacks of
calls and samples, and its time is that of the function around it. TEST_PYTHON=/path/to/python3 is another
interpreter.
"""

import json
import os

from call_stacks import SAMPLING, Paths
from python_way import PYTHON, WAYS

of = "wrappers/python"
ROUNDS, SHORTS, SPENT_S, HZ = 8, 50, 0.03, 200
SLOW_S = 0.009  # nearly as long as what is kept: the machine has other work
PART = '''
def hidden(work):
    work.make()
    work.spend()
    work.kept()
'''
WORK = f'''
import collections
import ctypes
import json
import os
import sys
import time

import part

creat = ctypes.CDLL(None).creat
calls, seconds = collections.Counter(), collections.Counter()


def make():
    calls["make"] += 1
    os.close(creat(b"made", 0o600))


def spend():
    calls["spend"] += 1
    end = time.thread_time() + {SPENT_S}
    while time.thread_time() < end:
        for i in range(1000):
            i * i


def kept():
    calls["kept"] += 1
    begin = time.perf_counter()
    spend()
    seconds["kept"] += time.perf_counter() - begin


def short():
    calls["short"] += 1


def outer():
    calls["outer"] += 1
    begin = time.perf_counter()
    part.hidden(sys.modules[__name__])
    for _ in range({SHORTS}):
        at = time.perf_counter()
        short()
        calls["slow"] += time.perf_counter() - at > {SLOW_S}
    seconds["outer"] += time.perf_counter() - begin


for _ in range({ROUNDS}):
    outer()
with open("said", "w", encoding="utf-8") as file:
    json.dump([calls, seconds], file)
'''
FILTER = """SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */lib/python3*
  EXCLUDE <*
  EXCLUDE */part.py
SCOREP_FILE_NAMES_END
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE <module>
  EXCLUDE spend
SCOREP_REGION_NAMES_END
"""
files = {"part.py": PART, "work.py": WORK, "filter": FILTER}
OWN = ("outer", "kept", "make", "short")
ENV = {"SPUR_WRAP": "io,python", "SPUR_IO": "posix", "SPUR_FILTER": "filter"}
STACKS = {"SPUR_UNWIND": "1000", "SPUR_SAMPLE": str(HZ)}
MORE = {"short": {"SPUR_MIN_DURATION": "10ms"}, "stacks": STACKS,
        "both": {**STACKS, "SPUR_MIN_DURATION": "10ms"}, "plain": {}}
# The script's functions at a call and at samples within kept(), the innermost first.
AT_CALL = ["make@work.py", "hidden@part.py", "outer@work.py", "<module>@work.py"]
AT_SAMPLE = ["spend@work.py", "kept@work.py", "hidden@part.py", "outer@work.py", "<module>@work.py"]


def scripts(paths, context):
    """The functions of the script: as frames, which regions are beside."""
    files = [(name, region["paradigm"], os.path.basename(paths.archive.string(region["sourceFile"])))
             for region, name, _, _ in paths.nodes(context)]
    return [f"{name}@{file}" for name, paradigm, file in files
            if paradigm == SAMPLING and file in ("work.py", "part.py")]


def short_calls(trace):
    """How many calls were only counted: by the last record of each location."""
    archive, n = trace.archive, 0
    for location in archive.locations:
        found = 0
        for kind, _, values, _ in archive.events(location):
            if kind == "Metric":
                found = values[1][0][1]
        n += found
    return n


def hit_shorts(trace):
    """How many calls of short() are recorded with a sample: these stay, however short they are."""
    archive, paths, n = trace.archive, Paths(trace.archive), 0
    for location in archive.locations:
        is_within = is_hit = False
        for kind, _, values, _ in archive.events(location):
            if kind in ("CallingContextEnter", "Enter"):
                region = values[0] if kind == "Enter" else paths.values("CallingContext", values[0])["region"]
                is_within, is_hit = archive.name_of("Region", region) == "short", False
            elif kind in ("CallingContextLeave", "Leave"):
                n += is_within and is_hit
                is_within = False
            is_hit = is_hit or kind == "CallingContextSample"
    return n


def stacks(run, trace, calls):
    """Frames of what is left out are where they are, on the stack of each call and of the samples."""
    paths, at_call, at_sample = Paths(trace.archive), [], []
    for location in trace.archive.locations:
        for kind, _, values, _ in trace.archive.events(location):
            if kind == "CallingContextSample":
                at_sample.append(scripts(paths, values[0]))
            elif kind == "CallingContextEnter" and next(paths.nodes(values[0]))[1] == "creat":
                at_call.append(scripts(paths, values[0]))
    run.equal(at_call, [AT_CALL] * calls["make"], "functions of the script at calls of creat()")
    want = HZ * SPENT_S * calls["kept"]
    for chain in (AT_SAMPLE, AT_SAMPLE[:1] + AT_SAMPLE[2:]):
        n = at_sample.count(chain)
        run.expect(abs(n - want) <= 0.2 * want + 4, f"{want} samples in {chain}, not {n}")


def times(run, rows, seconds, has_samples):
    """Inclusive as the program says; exclusive with the time of what is left out."""
    for name, said in seconds.items():
        over = rows[name]["total"] - said
        run.expect(0 <= over < 0.05 + 0.1 * said, f"{name}(): {rows[name]['total']} s of {said}")
    if not has_samples:
        got, inner = rows["outer"]["self"], rows["kept"]["total"] + rows["make"]["total"]
        inner += rows["short"]["total"] if "short" in rows else 0
        apart = rows["outer"]["total"] - inner - got
        run.expect(-1e-6 < apart < 0.02, f"outer(): {got} s of its own, {apart} s are missing")


def rows_of(run, archive):
    """The report's regions that are entered: not those that only samples see."""
    report = run.report(archive, "--by", "regions", "--top", "1000")
    told = [remark for remark in report["remarks"] if remark.startswith("left out by a filter")]
    run.expect(len(told) == 1 and len(told[0]) < 1000 and told[0].endswith(" more"),
               f"a remark that names some of what is left out: {told}")
    rows = report["sections"]["regions"]
    return {row["region"]: row for row in rows if row["calls"] or row["region"] == "(short calls)"}


def one(run, way, label):
    """The calls of each region, and how many were only counted."""
    more, name = MORE[label], f"{way}.{label}"
    _, archive = run.record(name, ["--python", PYTHON, "-B", "work.py"], {**ENV, **WAYS[way], **more})
    with open(os.path.join(run.scratch, f"{name}.run", "said"), encoding="utf-8") as file:
        calls, seconds = json.load(file)
    trace = run.judge(archive)
    regions = trace.regions()
    is_short, has_samples = "SPUR_MIN_DURATION" in more, "SPUR_SAMPLE" in more
    hit = hit_shorts(trace) if is_short else 0
    got = {name: regions.get(name, 0) for name in (*OWN, "hidden", "spend")}
    want = {name: calls[name] for name in OWN}
    if is_short:
        want["short"] = hit + min(got["short"] - hit, calls["slow"])
    run.equal(got, {**want, "hidden": 0, "spend": 0}, f"{way}, {label}: calls")
    times(run, rows_of(run, archive), seconds, has_samples)
    if has_samples:
        stacks(run, trace, calls)
    return regions, short_calls(trace) if is_short else 0


def main(run):
    for way in WAYS:
        plain, _ = one(run, way, "plain")
        for label in ("short", "stacks", "both"):
            regions, counted = one(run, way, label)
            run.equal(sum(regions.values()) + counted, sum(plain.values()),
                      f"{way}, {label}: calls that are recorded or counted")
