# SPDX-License-Identifier: BSD-3-Clause
"""
Every way to end a process: the status, a core dump and the output are those of the untraced run. The archive
is true, holds what was recorded, and says how the process ended. Each way is tried under the launcher, which
sees the end, and with the agent alone, where nobody may have seen it; and from another thread than the main
one, where one of the two has to do.
"""

import concurrent.futures
import os
import resource
import subprocess

from process_ends import ends_of, expected_end, modes, status_of

of = "wrappers/process agent/process"
WORKERS, FORMS = 3, ("launcher", "agent")
LOCKS = {"waits": 3, "main": 5}  # that the threads take in every mode before the end comes

# How the child of a mode that waits for one ended, and how that is known.
CHILD = {"wait": "killed by SIGTERM", "waitpid": "abort, killed by SIGABRT",
         "wait3": "killed by SIGKILL", "wait4": "killed by SIGSEGV", "waitid": "killed by SIGBUS",
         "waitid_raw_exit": "exit status 7", "nobody_waits": "died, cause unknown"}


class Ended:
    """A run as its parent sees it, the core dump included."""

    def __init__(self, run, words, folder, env=None):
        path = os.path.join(run.scratch, folder)
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "out"), "w+b") as out, \
                open(os.path.join(path, "err"), "w+b") as err:
            process = subprocess.Popen(words, cwd=path, env=run.environment(env), stdout=out,
                                       stderr=err, stdin=subprocess.DEVNULL)
            self.status = os.waitpid(process.pid, 0)[1]
            process.returncode = 0
        self.pid = process.pid
        with open(os.path.join(path, "out"), encoding="utf-8") as out:
            self.stdout = out.read()
        with open(os.path.join(path, "err"), encoding="utf-8") as err:
            lines = err.read().splitlines()
        self.stderr = [line for line in lines if not line.startswith("spur: ")]
        self.spur = [line for line in lines if line.startswith("spur: ")]


def try_mode(run, mode, word, place="main", forms=FORMS, tag=""):
    program = run.command(["{programs}/exits", mode, place])
    plain = Ended(run, program, f"{mode}.{place}{tag}.plain")
    run.equal(os.waitstatus_to_exitcode(plain.status), status_of(word), f"{mode}: plain status")
    for form in forms:
        folder = f"{mode}.{place}{tag}.{form}"
        archive = os.path.join(run.scratch, f"{folder}.archive")
        words = [run.spur, "-o", archive] + program if form == "launcher" else program
        env = {} if form == "launcher" else {"LD_PRELOAD": run.library, "SPUR_DIR": archive}
        traced = Ended(run, words, folder, env)
        what = f"{mode}, {place}, {form}: "
        same(run, traced, plain, form, what)
        if not os.path.exists(os.path.join(archive, "traces.otf2")):
            recovered = run.execute([run.spur, "recover", archive], folder)
            run.equal(recovered.status, 0, what + "spur recover")
            traced.spur += recovered.spur
        check_archive(run, archive, mode, word, form == "launcher", what)
        ends = expected_end(mode, word, form == "launcher")
        if not word.isdigit() and mode not in CHILD:
            run.expect(any(f": {ends}, " in line for line in traced.spur),
                       f"{what}a line that says {ends!r}: {traced.spur}")
        run.equal(len(traced.spur), 1, f"{what}lines {traced.spur}")


def same(run, traced, plain, form, what):
    if form == "launcher":  # it ends by the same signal, and does not dump core again
        run.equal(*[os.waitstatus_to_exitcode(ended.status) for ended in (traced, plain)],
                  what + "status")
    else:
        run.equal(traced.status, plain.status, what + "wait status")
    run.equal(traced.stdout, plain.stdout, what + "stdout")
    run.equal([line.replace(str(traced.pid), "") for line in traced.stderr],
              [line.replace(str(plain.pid), "") for line in plain.stderr], what + "stderr")


def check_words(run, end, what):
    """What is in the sentence is in properties of their own as well."""
    words = end["END"].replace(",", "").split()
    run.equal(end.get("EXIT_STATUS"), words[2] if words[0] == "exit" else None, what + "status")
    signals = [word for word in words if word.startswith("SIG")]
    run.equal(end.get("SIGNAL"), signals[0] if signals else None, what + "signal")
    run.equal("CORE_DUMPED" in end, "dumped" in words, what + "core dump")


def check_marks(run, trace, what):
    """All threads are there until the process dies; what is added then is marked."""
    added, last = 0, set()
    for location in trace.archive.locations:
        if location >> 32:
            continue  # of a child
        events = list(trace.events(location))
        for name, time, _, attributes in events:
            added += attributes is not None
            if attributes is not None and name != "ThreadCreate":
                last.add(time)
        run.expect(events[-1][3] is not None or events[-1][0] == "ThreadEnd",
                   f"{what}a mark at the end of {location}: {events[-1]}")
    run.equal(len(last), 1, f"{what}times of what was added")
    run.equal(str(added), trace.archive.anchor.properties["SPUR::SYNTHESISED_EVENTS"],
              f"{what}marks")


def check_archive(run, archive, mode, word, is_launched, what):
    from check_trace import Trace
    trace = Trace(os.path.join(archive, "traces.otf2"), True, with_opinions=False)
    run.equal(trace.faults, [], what + "faults")
    run.spur_check(archive, True)
    wanted = expected_end(mode, word, is_launched)
    ends = ends_of(trace)
    run.equal(ends[0]["END"].split(", core")[0], wanted, what + "END")
    if mode in CHILD:
        run.equal(ends[1]["END"].split(", core")[0], CHILD[mode], what + "END of the child")
    for end in ends:
        run.expect(end["END_TIME"].isdigit() and int(end["END_TIME"]) > 10 ** 18,
                   f"{what}a time: {end['END_TIME']}")
        seen = {"exit": "itself", "abort,": "itself", "killed": "itself", "died,": "nobody"}
        run.expect(end["END_SEEN_BY"] in ("parent", seen.get(end["END"].split()[0])),
                   f"{what}who has seen it: {end}")
    dead = sum(not end["END"].startswith(("exit status", "exec")) for end in ends)
    run.equal(trace.archive.anchor.properties["SPUR::DEAD_PROCESSES"], str(dead), what + "the dead")
    check_words(run, ends[0], what)
    if not ends[0]["END"].startswith("exit"):
        check_marks(run, trace, what)
    kinds = trace.kinds()
    locks = LOCKS["main"] + (0 if mode.startswith("pthread_exit") else LOCKS["waits"] + 1)
    run.expect(kinds["ThreadAcquireLock"] >= locks, f"{what}{locks} locks: {kinds}")


def main(run):
    tries = []
    for number, (mode, word, places) in enumerate(modes(run, "{programs}/exits")):
        for place in places:
            tries.append((mode, word, place, FORMS if place == "main" else [FORMS[number % 2]]))
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for done in [pool.submit(try_mode, run, *words) for words in tries]:
            done.result()
    core_dump(run)


def core_dump(run):
    """Where the machine writes core files: the agent leaves the flag in the status alone."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        try_mode(run, "segv", "SIGSEGV", tag=".core")
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
