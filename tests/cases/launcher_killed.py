# SPDX-License-Identifier: BSD-3-Clause
"""The launcher is killed while its job goes on: the last process of it makes the archive."""

import os
import signal
import subprocess
import time

from patience import HANG_S

of = "tools/launch agent/process"
SCRIPT = "kill -9 $PPID; sleep 0.1; {programs}/exits {mode}; echo $? > status"


def wait_for(run, path):
    end = time.monotonic() + HANG_S
    while not os.path.exists(path) or not os.path.getsize(path):
        run.expect(time.monotonic() < end, f"{path}")
        time.sleep(0.02)


def try_mode(run, mode, status):
    folder = os.path.join(run.scratch, mode)
    os.makedirs(folder)
    archive = os.path.join(folder, "archive")
    script = SCRIPT.format(programs=run.programs, mode=mode)
    process = subprocess.Popen([run.spur, "-o", archive, "sh", "-c", script], cwd=folder,
                               env=run.environment({}), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    run.equal(process.wait(), -signal.SIGKILL, f"{mode}: end of the launcher")
    wait_for(run, os.path.join(folder, "status"))
    with open(os.path.join(folder, "status"), encoding="utf-8") as file:
        run.equal(int(file.read()), status, f"{mode}: status")
    if status < 128:
        wait_for(run, os.path.join(archive, "traces.otf2"))
        time.sleep(0.1)
    else:
        run.equal(run.execute([run.spur, "recover", archive], mode).status, 0, "spur recover")
    run.judge(archive, unfinished=True)


def main(run):
    try_mode(run, "exit", 42)
    try_mode(run, "segv", 128 + signal.SIGSEGV)
