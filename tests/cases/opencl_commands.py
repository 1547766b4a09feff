# SPDX-License-Identifier: BSD-3-Clause
"""
Commands that know threads and processes, on an archive with devices: filters that leave out a kernel, a copy,
or a call; metrics, which streams do not have; spur print, view, query and export show what devices did.
"""

import collections
import os
import re

from device_work import Devices, printed
from trace_metrics import Metrics

of = "tools/export tools/print tools/report/devices"
PROGRAM = ["{programs}/opencl_all", "all"]
RULES = "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE {}\nSCOREP_REGION_NAMES_END\n"


def record(run, label, *words):
    _, archive = run.record(label, [*words, *run.command(PROGRAM)], plain=run.bare)
    return archive, Devices(run, run.judge(archive))


def filtered(run, label, rules):
    path = os.path.join(run.scratch, f"{label}.filter")
    with open(path, "w", encoding="utf-8") as file:
        file.write(RULES.format(rules))
    return record(run, label, "--filter", path)[1]


def check_filters(run, everything):
    """A kernel or a copy may be left out, its call stays; without the call there is no work."""
    devices = filtered(run, "work", "twice read\\ buffer")
    left = {name: counts for name, counts in everything.counts().items()
            if name not in ("twice", "read buffer")}
    run.equal(devices.counts(), left, "work with a filter of work")
    run.equal(len(devices.given), len(everything.given), "calls with a filter of work")
    devices.check_times()
    run.equal(devices.archive.said("FILTERED_REGIONS"), ["twice, read buffer"],
              "each name once in what is told of the filter")
    devices = filtered(run, "calls", "clEnqueueNDRangeKernel")
    left = {name: counts for name, counts in everything.counts().items() if counts[0] != "kernel"}
    run.expect(set(left) < set(everything.counts()), "kernels")
    run.equal({name: devices.counts().get(name) for name in left}, left, "copies with a filter of calls")
    run.expect("twice" not in devices.counts(), "no kernel without its call")


def check_metrics(run):
    _, devices = record(run, "metrics", "--metrics", "rusage:minflt")
    kinds = {location: collections.Counter(name for name, *_ in devices.archive.events(location))
             for location in devices.archive.locations}
    for location, counts in kinds.items():
        run.equal(counts["Metric"] > 0, location not in devices.work, f"metrics of location {location}")
    run.equal(devices.counts(), printed(run.bare.stdout), "work with metrics")


def check_shown(run, archive, devices):
    """Each work is there, in the place of its stream."""
    (stream, works), = devices.work.items()
    names = collections.Counter(work.name for work in works)
    entered = re.findall(rf'^ENTER +{stream} .*Region: "([^"]*)"', run.says("print", archive), re.M)
    run.equal(collections.Counter(entered), names, "spur print")
    rows = run.says("query", "--csv", archive, "select name, count(*) from calls where thread = 'Queue 1' "
                    "group by name").splitlines()[1:]
    told = {name: int(n) for name, n in (row.rsplit(",", 1) for row in rows)}
    run.equal(told, dict(names), "spur query")
    page = os.path.join(run.scratch, "page.html")
    run.says("view", "-o", page, archive)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    run.expect('"Queue 1"' in text and all(f'"{name}"' in text for name in names), "spur view")
    group = next(values for _, values in devices.archive.spaces["LocationGroup"].values()
                 if values["locationGroupType"] == 2)
    device = devices.archive.string(group["name"])
    picture = run.says("view", "--text", "--width", "120", archive)
    begin = device[:12]  # what is left of a long name
    run.expect(any(line.startswith(begin) for line in picture.splitlines()), f"no {device}: {picture}")
    took = collections.Counter()
    for work in works:
        took[work.name] += work.end - work.begin
    lines = [line.rsplit(" ", 1) for line in run.says("export", "--to", "folded", archive).splitlines()]
    folded = {path.split(";")[2]: int(ns) for path, ns in lines if path.split(";")[1] == "Queue 1"}
    ns_a_tick = 1e9 / Metrics(devices).clock_frequency()
    for name, ticks in took.items():
        run.expect(abs(folded.get(name, 0) - ticks * ns_a_tick) <= names[name],
                   f"spur export: {folded} of {took}")


def main(run):
    run.bare = run.execute(run.command(PROGRAM), "bare")
    archive, everything = record(run, "all")
    run.equal(everything.counts(), printed(run.bare.stdout), "work")
    check_filters(run, everything)
    check_metrics(run)
    check_shown(run, archive, everything)
