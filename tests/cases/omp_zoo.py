# SPDX-License-Identifier: BSD-3-Clause
"""
Every construct of OpenMP, in one program that checks its results and counts what it did; built by
gcc and by clang, run on libgomp, on libomp, and what gcc has built on libomp. The records are what
the program did. Where a compiler or a runtime has it otherwise, that is a row of DIFFERENCES, with
the reason; docs/openmp.md lists them for users. A difference that is no row fails, and so does a row
that makes none.
"""

of = "wrappers/openmp"
GOMP, OMP, BOTH = "gcc on libgomp", "clang on libomp", "gcc on libomp"
RUNS = {GOMP: ("omp_zoo.gcc", ""), OMP: ("omp_zoo.clang", ""), BOTH: ("omp_zoo.gcc", ":libomp.so.5")}
THREADS = (1, 2, 16)


def stdout(text):
    """How many tasks begin before they are cancelled is chance."""
    return [line for line in text.splitlines() if not line.startswith("task_discarded ")]


def left_out(run, threads):
    """What libomp 14 cannot do, traced or not."""
    if run == BOTH:  # its GOMP_task() knows no detach
        yield "detached"
    if run == BOTH and threads == 1:
        yield "doacross"
    if run == OMP and threads == 1:  # assertions of its own fail
        yield "detached"
    if run != GOMP and threads == 1:
        yield "cancels"


def tasks(did):
    return did["task"] + did["taskloop_task"]


def holds(did):
    return (did["critical"] + did["ordered"] + did["atomic_wide"] + did["lock"] +
            did["nest_lock"])


def work_joined(did):
    """Work-sharing with a barrier at its end, but for copyprivate."""
    return (did["for_static_joined"] + did["for_dynamic_joined"] + did["for_serial"] +
            did["sections_joined"] + did["single_joined"])


# Kinds of records, and kinds of regions by their visits, from what the program says it did.
EXPECTED = {
    "ThreadFork": lambda did: did["parallel"] + did["teams"],
    "ThreadJoin": lambda did: did["parallel"] + did["teams"],
    "ThreadTeamBegin": lambda did: did["member"] + did["team_member"],
    "ThreadTeamEnd": lambda did: did["member"] + did["team_member"],
    "ThreadTaskCreate": tasks,
    "ThreadTaskComplete": tasks,
    "ThreadAcquireLock": holds,
    "ThreadReleaseLock": holds,
    "parallel": lambda did: did["member"],
    "teams": lambda did: did["team_member"],
    "for": lambda did: did["for_static"] + did["for_dynamic"] + did["for_serial"],
    "distribute": lambda did: did["distribute"],
    "sections": lambda did: did["sections"],
    "single": lambda did: did["single"],
    "masked": lambda did: did["masked"],
    "barrier": lambda did: did["barrier"],
    "implicit barrier": lambda did: (
        did["member_joined"] + did["team_member"] + work_joined(did) + did["single_copied"]),
    "critical": lambda did: did["critical"],
    "ordered": lambda did: did["ordered"],
    "atomic": lambda did: did["atomic_wide"],
    "locks": lambda did: did["lock_call"],
    "create task": tasks,
    "task": lambda did: tasks(did) - did["task_untied"] - did["task_discarded"],
    "task untied": lambda did: did["task_untied"],
    "taskloop": lambda did: did["taskloop"],
    "taskwait": lambda did: did["taskwait"] + did["taskwait_depend"],
    "taskgroup": lambda did: did["taskgroup"] + did["taskloop_group"],
    "taskyield": lambda did: did["taskyield"],
    "target": lambda did: did["target"],
    "target data": lambda did: did["target_data"],
    "target enter exit data": lambda did: 2 * did["target_data"],
    "target update": lambda did: did["target_data"],
}

# Kinds whose number is chance.
CHANCE = {
    "cancel": {GOMP, OMP, BOTH},  # which threads come to know of it, and when
    "task untied": {OMP},  # clang ends one where it may be suspended, and creates the rest again
}

# (kinds, runs, by how many more, why)
DIFFERENCES = [
    ({"for"}, {GOMP, BOTH}, lambda did: -did["for_static"],
     "gcc deals out the iterations of static loops itself and calls no function"),
    ({"distribute"}, {GOMP, BOTH}, lambda did: -did["distribute"], "so with distribute"),
    ({"masked"}, {GOMP, BOTH}, lambda did: -did["masked"],
     "gcc compares the thread's number itself"),
    ({"atomic", "ThreadAcquireLock", "ThreadReleaseLock"}, {OMP},
     lambda did: -did["atomic_wide"], "clang calls libatomic"),
    ({"target"}, {OMP}, lambda did: -did["target"],
     "without a device clang calls the function itself, and libomp has no target regions"),
    ({"target data", "target update"}, {OMP}, lambda did: -did["target_data"], "as above"),
    ({"target enter exit data"}, {OMP}, lambda did: -2 * did["target_data"], "as above"),
    ({"teams"}, {GOMP}, lambda did: did["teams"] - did["team_member"],
     "libgomp has one thread execute the teams, one by one"),
    ({"ThreadFork", "ThreadJoin"}, {GOMP}, lambda did: -did["teams"], "so it forks none"),
    ({"ThreadTeamBegin", "ThreadTeamEnd"}, {GOMP}, lambda did: -did["team_member"], "as above"),
    ({"implicit barrier"}, {GOMP},
     lambda did: did["parallel"] - did["member_joined"] - did["team_member"],
     "at the end of a parallel region the first thread's alone is seen, in a team of one, too"),
    ({"implicit barrier"}, {GOMP},
     lambda did: -did["for_static_joined"] - did["single_joined"] - did["single_copied"],
     "gcc has the threads meet in GOMP_barrier() after these"),
    ({"barrier"}, {GOMP},
     lambda did: (did["for_static_joined"] + did["single_joined"] + did["single_copied"] +
                  did["scope"]), "which is also what it calls for a barrier"),
    ({"implicit barrier"}, {GOMP}, lambda did: did["single_copier"],
     "the thread that has executed a single region meets the others to hand its values on"),
    ({"taskyield"}, {OMP, BOTH}, lambda did: -did["taskyield"],
     "OMPT tells when another task begins there, and then that"),
    ({"taskwait"}, {OMP, BOTH}, lambda did: did["task_depends"],
     "the wait of an undeferred task for its dependences is told as a taskwait"),
    ({"implicit barrier"}, {OMP}, lambda did: did["member_copies"],
     "clang has the threads meet after copyin"),
    ({"implicit barrier"}, {OMP}, lambda did: 2 * did["member_cancelled"],
     "the threads meet twice more when a parallel region is cancelled"),
    ({"implicit barrier"}, {OMP}, lambda did: -did["single_copied"],
     "the barriers of copyprivate are told as the implementation's"),
    ({"barrier"}, {OMP}, lambda did: 2 * did["single_copied"], "and there are two"),
    ({"barrier"}, {OMP}, lambda did: did["member_reduces"],
     "more than four threads meet to reduce, in a barrier of the implementation"),
    ({"single"}, {BOTH}, lambda did: -did["single_copied"],
     "libomp tells nothing of GOMP_single_copy_start()"),
    ({"implicit barrier"}, {BOTH}, lambda did: -work_joined(did) - did["single_copied"],
     "gcc's implicit barriers are told as the implementation's"),
    ({"barrier"}, {BOTH},
     lambda did: work_joined(did) + 3 * did["single_copied"] + did["scope"],
     "and are recorded as barriers"),
    ({"sections"}, {BOTH}, lambda did: -did["sections"], "libomp runs gcc's sections as a loop"),
    ({"for"}, {BOTH}, lambda did: did["sections"], "and tells a loop"),
]


def counted(trace):
    """What a trace has, by the keys of EXPECTED."""
    counts = {kind: n for kind, n in trace.kinds().items() if kind in EXPECTED}
    for name, n in trace.regions().items():
        if name.startswith("!$omp "):
            kind = name[len("!$omp "):].split(" @")[0]
            counts[kind] = counts.get(kind, 0) + n
        elif name.startswith("omp_"):
            counts["locks"] = counts.get("locks", 0) + n
    return counts


def compare(label, did, counts):
    """Yields what is wrong."""
    for kind in sorted(set(EXPECTED) | set(counts)):
        if label in CHANCE.get(kind, ()):
            continue
        want = EXPECTED.get(kind, lambda did: 0)(did)
        want += sum(more(did) for kinds, runs, more, _ in DIFFERENCES
                    if kind in kinds and label in runs)
        if counts.get(kind, 0) != want:
            yield f"{label}: {kind}: {counts.get(kind, 0)}, expected {want}"


def main(run):
    faults = []
    for label, (program, preload) in RUNS.items():
        for threads in THREADS:
            words = run.command(["{programs}/" + program] +
                                ["-" + name for name in left_out(label, threads)])
            env = {"OMP_NUM_THREADS": str(threads), "OMP_CANCELLATION": "true",
                   "SPUR_WRAP": "openmp"}
            folder = f"{label.replace(' ', '-')}.{threads}"
            plain = run.execute(["env", "LD_PRELOAD=" + preload] + words, folder + ".plain", env)
            run.equal((plain.status, plain.stderr), (0, ""), f"{folder} without the agent")
            words = ["env", f"LD_PRELOAD={run.library}{preload}"] + words
            traced, archive = run.record(folder, words, env, plain)
            did = {name: int(n) for name, n in map(str.split, traced.stdout.splitlines())}
            faults += list(compare(f"{label}", did, counted(run.judge(archive))))
    run.expect(not faults, "the records that the program's counts imply:\n  " +
               "\n  ".join(faults))
