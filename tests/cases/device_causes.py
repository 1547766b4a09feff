# SPDX-License-Identifier: BSD-3-Clause
"""
Why devices are idle, and how long kernels wait for their device, as `spur report` says: next to programs that
keep a diary (tests/programs/device_story.h), where a rank without a device is late with its messages. OpenCL
is by pocl, the others are by runtimes of the tests' own.
"""

import os

import matrix
from device_story import LAUNCH, PROGRAM, Story

of = "wrappers/device tools/report/devices"
mpi = ["mpich", "openmpi"]  # two programs with each

NS = 1e-9
# Of all idle time: what a thread does between its diary and its call, and what clocks say apart.
SHARE = 0.04
APART = 100e-6  # of a work and its call, on two clocks
EACH_APART = 20e-6  # of what a work lasts
EACH = 6  # works of the device in a round, the last of which is late
LEAST = {PROGRAM: 0.06, "waiting": 0.04, "calls": 0.03, "MPI": 0.02, LAUNCH: 0.012}


def near(run, got, want, more, what):
    run.expect(abs(got - want) <= more, f"{what}: got {got}, want {want}, within {more}")


def check(run, cell, story, device, wanted):
    """`device`: how its name in the report goes on, to tell it from others."""
    sections = run.report(cell.archives[0], "--by", "devices")["sections"]
    causes, longest = story.causes("0")
    idle = sum(causes.values()) * NS
    row, = [row for row in sections["devices"] if device in row["device"]]
    near(run, row["idle"], idle, SHARE * idle, cell.what + "idle")
    near(run, row["longest"], longest * NS, SHARE * idle, cell.what + "longest")
    least, most = story.after_waiting("0", int(APART / NS))
    run.expect(least * NS - SHARE * idle <= row["synchronised"] <= most * NS + SHARE * idle,
               f"{cell.what}after waiting: {row['synchronised']}, want {least * NS} to {most * NS}")
    told = {row["cause"]: row["idle"] for row in sections["device_idle"] if device in row["device"]}
    run.expect("unknown" not in told, cell.what + "calls of all work")
    for cause in sorted(set(told) | set(causes)):
        near(run, told.get(cause, 0), causes[cause] * NS, SHARE * idle, f"{cell.what}idle for {cause}")
    for cause in wanted:
        run.expect(causes[cause] * NS >= LEAST[cause], f"{cell.what}a story with {cause}: {causes}")
    works = story.works["0"]
    lasted = [end - begin for begin, end in works]
    near(run, row["span"], (works[-1][1] - works[0][0]) * NS, SHARE * idle, cell.what + "span")
    for name in ("busy", "kernels"):
        near(run, row[name], sum(lasted) * NS, EACH_APART * len(works), cell.what + name)
    run.equal((row["gaps"], row["copies"], row["streams"]), (len(works) - 1, 0, 1), cell.what + "gaps")
    for name, is_it in (("late", lambda i: i % EACH == EACH - 1), ("work", lambda i: i % EACH < EACH - 1)):
        check_kernel(run, cell, sections["device_kernels"], story, name, is_it)


def check_kernel(run, cell, rows, story, name, is_it):
    row, = [row for row in rows if row["kernel"].startswith(name)]
    what = f"{cell.what}{name}: "
    least, most = story.latencies("0", is_it)
    lasted = [end - begin for i, (begin, end) in enumerate(story.works["0"]) if is_it(i)]
    run.equal(row["calls"], len(lasted), what + "calls")
    near(run, row["time"], sum(lasted) * NS, EACH_APART * len(lasted), what + "time")
    near(run, row["min"], min(lasted) * NS, EACH_APART, what + "shortest")
    near(run, row["max"], max(lasted) * NS, EACH_APART, what + "longest")
    for told, low, high in ((row["latency"], sum(least) / len(least), sum(most) / len(most)),
                            (row["latency_min"], min(least), min(most))):
        run.expect(low * NS - APART <= told <= high * NS + APART,
                   f"{what}latency {told}, want {low * NS} to {high * NS}")


def story(run, name, device, wanted, truth=True, **settings):
    path = os.path.join(run.scratch, name)
    if truth:
        settings["FAKE_TRUTH"] = path + ".truth"
    words = [*run.launcher(2), f"{{programs}}/{name}_story{{mpi}}"]
    for cell in matrix.cells(run, name, words, ["launcher"], env={"STORY": path + ".diary"},
                             settings=settings):
        check(run, cell, Story(path + ".diary", settings.get("FAKE_TRUTH")), device, wanted)


def main(run):
    os.environ["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(run.programs, "libze_fake.so.1")
    if run.mpi == "mpich":
        story(run, "opencl", "", LEAST, truth=False)
        story(run, "levelzero", "device 0", set(LEAST) - {"calls"})
    else:
        story(run, "cuda", "device 0", LEAST)
        story(run, "hip", "device 0", LEAST)
