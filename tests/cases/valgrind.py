# SPDX-License-Identifier: BSD-3-Clause
"""
Valgrind's Memcheck reports of a traced program what it reports without spur, and no error of the agent's:
with files, threads, call sites and samples of stacks; with memory, which is not recorded then.
"""

import os
import shutil
import xml.etree.ElementTree as tree

of = "agent"
SETTINGS = {"files": ["--io", "all", "--sites", "--sample", "1000"], "memory": ["--memory=1K"]}
NO_MEMORY = ["spur: memory is not recorded: the program has a malloc() that comes before libspur-memory.so"]
MOST_SHOWN = 10
# What thread_valgrind.c does wrong: (kind, its function or nothing for a leak: (kind, bytes)).
WRONG = [("InvalidRead", "is_wrong"), ("Leak_DefinitelyLost", 77), ("UninitCondition", "is_wrong")]


def reported(path):
    """The errors of the process that writes to this file; of a leak how many bytes are lost."""
    found = []
    for error in tree.parse(path).getroot().iter("error"):
        kind, lost = error.findtext("kind"), error.findtext("xwhat/leakedbytes")
        frame = error.find("stack/frame")
        found.append((kind, int(lost) if lost else frame.findtext("fn")))
    return sorted(found, key=str)


def brief(processes):
    """Of each process how many errors, and the first of them: false ones come by the hundred."""
    return [(len(errors), errors[:MOST_SHOWN]) for errors in processes]


def watch(run, label, words):
    """How the program ends under Valgrind, and what of each of its processes is reported, most first."""
    log = os.path.join(run.scratch, label)
    valgrind = ["valgrind", "--leak-check=full", "--xml=yes", f"--xml-file={log}.%p.xml"]
    ended = run.execute(words + valgrind + run.command(["{programs}/thread_valgrind"]), label)
    names = [name for name in os.listdir(run.scratch)
             if name.startswith(label + ".") and name.endswith(".xml")]
    processes = [reported(os.path.join(run.scratch, name)) for name in names]
    return ended, sorted(processes, key=len, reverse=True)


def main(run):
    run.expect(shutil.which("valgrind"), "valgrind is installed")
    plain, told = watch(run, "plain", [])
    run.equal((plain.status, plain.stdout, told[0]), (0, "done\n", WRONG), "what Valgrind reports")
    run.equal(len(told), 2, "processes that Valgrind knows")
    for label, options in SETTINGS.items():
        archive = os.path.join(run.scratch, f"{label}.archive")
        traced, seen = watch(run, label, [run.spur, *options, "-o", archive])
        run.equal((traced.status, traced.stdout), (0, "done\n"), f"{label}: the program")
        run.equal(brief(seen), brief(told), f"{label}: reports of Valgrind")
        run.equal(traced.spur[:-1], NO_MEMORY if label == "memory" else [], f"{label}: what spur says")
        trace = run.judge(archive, unfinished=True)
        run.expect(trace.regions()["pthread_mutex_lock"] > 0, f"{label}: the program was recorded")
