# SPDX-License-Identifier: BSD-3-Clause
"""
A tool of somebody else that uses OMPT: part of the program, preloaded before or behind the agent, or
in OMP_TOOL_LIBRARIES. It gets what it gets alone; the agent says so in one line, and records no
OpenMP. OMP_TOOL=disabled keeps the agent out as well.
"""

of = "wrappers/openmp"
COUNTED = "tool: 2072 parallel regions"


def started(run, name, program, words, env):
    """(Result, Trace) of a program under the agent; the archive has main's threads at least."""
    result, archive = run.record(name, words + run.command(["{programs}/" + program]),
                                 {"OMP_NUM_THREADS": "2", **env})
    return result, run.judge(archive)


def main(run):
    tool = f"{run.programs}/ompt_tool.so"
    places = {
        "in the program": ("omp_own_tool", [], {}),
        "preloaded behind": ("omp_many.clang", ["env", f"LD_PRELOAD={run.library}:{tool}"], {}),
        "preloaded before": ("omp_many.clang", ["env", f"LD_PRELOAD={tool}:{run.library}"], {}),
        "of the list": ("omp_many.clang", [], {"OMP_TOOL_LIBRARIES": f"/no/such.so:{tool}"}),
    }
    for name, (program, words, env) in places.items():
        result, trace = started(run, name.replace(" ", "-"), program, words, env)
        run.expect(COUNTED in result.stdout, f"the counts of a tool {name}: {result.stdout}")
        said = [line for line in result.spur if "another tool" in line]
        run.equal(len(said), 1, f"lines about a tool {name} ({result.spur})")
        run.equal(trace.kinds().get("ThreadFork", 0), 0, f"ThreadFork with a tool {name}")

    for name, env in (("none", {}), ("an-empty-list", {"OMP_TOOL_LIBRARIES": ""}),
                      ("no-tool-in-the-list", {"OMP_TOOL_LIBRARIES": "libz.so.1"})):
        result, trace = started(run, name, "omp_many.clang", [], env)
        run.equal(trace.kinds()["ThreadFork"], 2072, f"ThreadFork with {name}")
        run.expect(not any("another tool" in line for line in result.spur), f"no word with {name}")

    result, trace = started(run, "disabled", "omp_many.clang", [], {"OMP_TOOL": "disabled"})
    run.equal(trace.kinds().get("ThreadFork", 0), 0, "ThreadFork with OMP_TOOL=disabled")
