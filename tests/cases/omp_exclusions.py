# SPDX-License-Identifier: BSD-3-Clause
"""
Critical, ordered and atomic constructs after the first OpenMP thread has ended, where libomp that is asked
for the ends of mutual exclusion crashes: each is recorded once, has its lock, and ends where the lock is
released. On libgomp, libomp, and libomp with code of gcc; from the start, and attached to before OpenMP
starts.
"""

import os
import subprocess

from patience import HANG_S

of = "wrappers/openmp"
RUNS = {"gcc": ("omp_exclusions.gcc", ""), "clang": ("omp_exclusions.clang", ""),
        "both": ("omp_exclusions.gcc", "libomp.so.5")}
OPENMP = 3  # OTF2_PARADIGM_OPENMP
KINDS = ("critical", "ordered", "atomic")


def attached(run, archive, program, env):
    """The output of the program, attached to before its first parallel region."""
    words = run.command([f"{{programs}}/{program}", "WAIT"])
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **env}) as process:
        process.stdout.readline()
        order = run.execute([run.spur, "attach", "-o", archive, str(process.pid)], "attach")
        run.equal(order.status, 0, f"exit status of spur attach: {order.stderr}")
        out = process.communicate("\n", timeout=HANG_S)[0]
    run.equal(process.returncode, 0, f"exit status of {program}, attached to")
    return out


def compare(run, label, archive, out):
    did = {kind: int(n) for kind, n in map(str.split, out.splitlines())}
    trace = run.judge(archive)
    names = trace.archive.name_of
    entered, held, ends = dict.fromkeys(KINDS, 0), 0, []
    for stream in trace.streams:
        before = None
        for name, _, values, _ in trace.events(stream.location):
            region = names("Region", values[0]) if name in ("Enter", "Leave") else ""
            kind = region.split(" @")[0].removeprefix("!$omp ")
            held += name == "ThreadAcquireLock" and values[0] == OPENMP
            if kind in KINDS and name == "Enter":
                entered[kind] += 1
            if kind in KINDS and name == "Leave":
                ends.append(before)
            before = name
    run.equal(entered, did, f"{label}: constructs")
    run.equal(held, sum(did.values()), f"{label}: acquisitions")
    run.equal(set(ends), {"ThreadReleaseLock"}, f"{label}: what comes before their ends")


def main(run):
    for label, (program, preload) in RUNS.items():
        words = run.command([f"{{programs}}/{program}"])
        traced, archive = run.record(label, ["env", f"LD_PRELOAD={run.library}:{preload}", *words])
        compare(run, label, archive, traced.stdout)
        late = archive + ".attached"
        compare(run, label, late, attached(run, late, program, {"LD_PRELOAD": preload} if preload else {}))
