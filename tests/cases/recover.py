# SPDX-License-Identifier: BSD-3-Clause
"""Nobody is left to finish the archive of a killed process: `spur recover` does it."""

of = "finish tools/session"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records


command = ["{programs}/serial_killed"]


def main(run):
    program = run.command()
    result = run.execute(run.preloading() + program, "run")
    run.equal(result.status, -9, "exit status")
    archive = run.only_archive("run")
    result = run.execute([run.spur, "recover", archive], "elsewhere")
    run.equal((result.status, result.stdout, result.stderr), (0, "", ""), "spur recover")
    trace = run.judge(archive, unfinished=True)
    run.equal(trace.kinds()["ThreadAcquireLock"], 1001, "ThreadAcquireLock")
    run.equal(trace.kinds()["ThreadReleaseLock"], 1000, "ThreadReleaseLock")
