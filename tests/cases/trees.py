# SPDX-License-Identifier: BSD-3-Clause
"""
Every way to make a process and to become another program. All processes that tell of themselves are location
groups of the one archive, with the creator that they name. They see the arguments and the environment that
they would see without the agent.
"""

import os
import re

from process_tree import groups

of = "wrappers/process"
# Mode of the program, and the regions that have to be there, with how often.
MODES = {
    "fork": {"fork": 1, "waitpid": 1},
    "forks": {"fork": 2, "waitpid": 2},
    "bare": {"_Fork": 1, "waitpid": 1},
    "pty": {"forkpty": 1, "waitpid": 1},
    "clone": {"clone": 1, "waitpid": 1},
    "raw": {},  # known by the child that ended
    "killed": {"fork": 2, "waitpid": 2},
    "vfork": {"vfork": 3, "waitpid": 3},
    "clone_vm": {"clone": 1, "waitpid": 1},
    "spawn": {"posix_spawn": 3, "posix_spawnp": 1, "waitpid": 3, "pidfd_spawn": 1, "pidfd_spawnp": 1,
              "waitid": 2},
    "exec": {"fork": 13, "waitpid": 13},
    "exec_self": {"fork": 1, "waitpid": 1, "execle": 1},
    "failure": {"fork": 2, "waitpid": 2, "execl": 1},
    "system": {"system": 3, "popen": 1, "pclose": 1},
    "daemon": {"fork": 1, "daemon": 1, "waitpid": 1},
}
UNSEEN = {"system": 6, "daemon": 2}  # processes that do not tell of themselves


def told(text):
    """{pid: parent's pid} of the processes that told of themselves; an image is told of once."""
    return dict(re.findall(r"^child (\d+) of (\d+):", text, re.MULTILINE))


def comparable(text):
    """Processes that run at the same time tell of themselves in any order."""
    return sorted(re.sub(r"\b(child|of|daemon) \d+", r"\1 #", text).splitlines())


def check(run, mode, trace, traced):
    processes, parents = groups(trace), told(traced.stdout)
    seen = {pid for pid, _, _, _ in processes}
    run.equal(sorted(set(parents) - seen), [], f"{mode}: processes that are not in the archive")
    run.expect(len(seen) <= len(parents) + UNSEEN.get(mode, 0), f"{mode}: no others ({seen})")
    first = processes[0][0]
    for pid, creator, name, properties in processes:
        if pid == first and creator is None:
            continue
        wanted = {pid, parents.get(pid, creator)}  # the image before, or the parent
        run.expect(creator in wanted, f"{mode}: creator of {name}: one of {wanted}, not {creator}")
        run.expect(creator is not None, f"{mode}: a creator of {name}")
        for key in ("COMMAND_LINE", "EXECUTABLE", "WORKING_DIRECTORY", "HOST", "PPID", "START", "END"):
            run.expect(properties.get(key), f"{mode}: {key} of {name}")
        if pid in parents:
            run.equal(properties["PPID"], parents[pid], f"{mode}: PPID of {name}")
            run.equal(os.path.basename(properties["EXECUTABLE"]), "trees", f"{mode}: {name}")
    regions = trace.regions()
    for name, count in MODES[mode].items():
        run.equal(regions.get(name), count, f"{mode}: {name}")
    if mode == "exec_self":
        run.equal([properties["END"] for pid, _, _, properties in processes if pid == first],
                  ["exec", "exit status 0"], "the images of the first process")


def main(run):
    program = os.path.join(run.programs, "trees")
    for mode in MODES:
        run.case.stdout = comparable
        traced, trace = run.standard(mode, [program, mode], unfinished=mode == "killed")
        check(run, mode, trace, traced)
    nothing_asked(run, program)
    some(run, program)


def nothing_asked(run, program):
    """Without a launcher processes are not recorded unless asked for."""
    result = run.execute(run.preloading() + [program, "fork"], "preloaded")
    run.equal((result.spur, os.listdir(os.path.join(run.scratch, "preloaded"))), ([], []), "nothing")
    archive = os.path.join(run.scratch, "asked.archive")
    traced = run.execute(run.preloading() + [program, "spawn"], "asked",
                         {"SPUR_WRAP": "process", "SPUR_DIR": archive})
    run.equal(len(groups(run.judge(archive))), 6, "processes without the launcher")
    run.equal(len(traced.spur), 1, "lines of the last process")


def some(run, program):
    """SPUR_FOLLOW."""
    shell = ["sh", "-c", f"{program} spawn; ls; {program} fork"]
    for follow, names in {"all": {"sh": 1, "trees": 8, "ls": 1}, "none": {"sh": 1},
                          "tre*s,nobody": {"trees": 8}, "*/bin/ls,sh": {"sh": 1, "ls": 1}}.items():
        label = re.sub(r"\W", "_", follow)
        archive = os.path.join(run.scratch, f"follow.{label}.archive")
        run.execute([run.spur, f"--follow={follow}", "-o", archive] + shell, f"follow.{label}")
        found = {}
        for _, _, name, _ in groups(run.judge(archive)):
            name = re.search(r"\((.*)\)", name).group(1)
            name = "trees" if name in ("a", "other") else name
            found[name] = found.get(name, 0) + 1
        run.equal(found, names, f"--follow={follow}")
