# SPDX-License-Identifier: BSD-3-Clause
"""
The stacks of recorded calls, of blocks of memory and of crashes, against a program that knows who calls
whom: without frame pointers and with them, through the C library, signal handlers, stacks of handlers, a
library without symbols, and in a thread.
"""

import collections
import os

from chains import Chains
from judge.otf2_read import Archive

of = "agent/stacks"
PROGRAMS = ("thread_chains", "thread_chains_framed")
BYTES = 777777
CALLS = ("pthread_mutex_lock", "pthread_mutex_unlock")


def equal_once(run, what, found, chains, times=1):
    """Each chain was found so often, and no other."""
    run.equal(sorted(found.items()), sorted((chain, times) for chain in chains), what)


def calls(run, chains, label):
    archive, said = chains.trace(label, ["calls"], "--unwind", "64", env={"SPUR_PTHREAD": "all"})
    found = collections.Counter()
    for location in archive.locations:
        for kind, _, values, _ in archive.events(location):
            if kind != "CallingContextEnter":
                continue
            region = archive.spaces["CallingContext"][values[0]][1]["region"]
            if archive.name_of("Region", region) in CALLS:
                found[chains.of_context(archive, values[0])] += 1
    equal_once(run, f"{label}: calls", found, said, len(CALLS))
    return said


def memory(run, chains, label):
    archive, said = chains.trace(label, ["memory"], f"--memory={BYTES}")
    found = collections.Counter()
    for location in archive.locations:
        for kind, _, _, attributes in archive.events(location):
            named = {archive.name_of("Attribute", number): value for number, _, value in attributes or ()}
            if kind == "Metric" and named.get("ALLOCATION_SIZE", 0) >= BYTES:
                found[chains.of_context(archive, named["spur::call_site"])] += 1
    equal_once(run, f"{label}: blocks", found, said)


def crashes(run, chains, label, chain_count):
    """One of each chain: a process has one crash. Nobody sees how it ends, since qemu-user ends otherwise."""
    for number in range(chain_count):
        place = os.path.join(run.scratch, f"{label}.{number}")
        crashed = run.execute([chains.program, "crash", str(number)], f"{label}.{number}.run",
                              {"LD_PRELOAD": run.library, "SPUR_DIR": place, "SPUR_SESSION": "mixed"})
        recovered = run.execute([run.spur, "recover", place], f"{label}.{number}.run")
        run.equal(recovered.status, 0, f"{label}: status of recover")
        said, = chains.said(crashed.stdout.splitlines()[:1])
        archive = Archive(os.path.join(place, "traces.otf2"))
        run.equal([chains.chain(line.split(" ")[0] for line in stack.splitlines())
                   for stack in archive.said("CRASH_STACK")],
                  [said], f"{label}: the crash, {crashed.status}, {crashed.stderr[-500:]}")
    run.judge(place, unfinished=True)


def main(run):
    for program in PROGRAMS:
        chains = Chains(run, program)
        said = calls(run, chains, f"{program}.calls")
        memory(run, chains, f"{program}.memory")
        crashes(run, chains, f"{program}.crash", len(said))
