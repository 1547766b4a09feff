# SPDX-License-Identifier: BSD-3-Clause
"""Settings that spur does not know, or whose value is none: one line that names them."""

of = "settings"


def main(run):
    program = run.command(["{programs}/serial"])
    plain = run.execute(program, "plain")
    for name, value in (("SPUR_NO_SUCH_THING", "1"), ("SPUR_BUFFER", "lots")):
        result, archive = run.record(value, program, {name: value}, plain)
        naming = [line for line in result.spur if name in line]
        run.equal(len(naming), 1, f"lines that name {name} ({result.spur})")
        run.judge(archive)
    program = run.command(["{programs}/ring." + "openmpi"])
    run.mpi = "openmpi"
    result, _ = run.record("job", run.launcher(4) + program, {"SPUR_NO_SUCH_THING": "1"})
    naming = [line for line in result.spur if "SPUR_NO_SUCH_THING" in line]
    run.equal(len(naming), 1, f"lines of the whole job that name it ({result.spur})")
