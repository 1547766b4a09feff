# SPDX-License-Identifier: BSD-3-Clause
"""
`spur check` of right archives with OpenMP, on both runtimes: values of metrics where one construct ends and
another begins at the same time, and tasks that exit() in a task leaves undone, which is a remark at most.
`spur report` has no finding about threads that wait at the barriers of teams of one.
"""

of = "wrappers/openmp tools/check"
MODES = (("rounds", 0, ["--metrics", "rusage:minflt"]), ("exit", 8, []), ("alone", 0, []))


def main(run):
    for compiler in ("gcc", "clang"):
        for mode, status, options in MODES:
            label = f"{mode}.{compiler}"
            words = options + run.command([f"{{programs}}/omp_checked.{compiler}", mode])
            _, archive = run.record(label, words, status=status)
            run.spur_check(archive, False, ("task-left",) if mode == "exit" else ())
            if mode == "rounds":
                run.expect(run.judge(archive).kinds()["Metric"] > 0, f"{label}: metrics")
            if mode == "alone":
                said = [one["text"] for one in run.report(archive)["findings"] if one["kind"] == "parallel"]
                run.expect(all("has teams of one thread: its entry, exit and barriers cost" in text
                               for text in said), f"{label}: one thread waits for nobody: {said}")
