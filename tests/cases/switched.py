# SPDX-License-Identifier: BSD-3-Clause
"""`spur off` and `spur on` switch a process and a session while they run; `spur --start off`."""

import os
import subprocess

from patience import HANG_S

of = "tools/session agent/record"
THREADS, CALLS = 3, 10


class Live:
    """The program under spur, which does a round for each line that it is given."""

    def __init__(self, run, name, options=()):
        self.run, self.archive = run, os.path.join(run.scratch, name)
        words = [run.spur, *options, "-o", self.archive] + run.command(["{programs}/thread_switched"])
        self.process = subprocess.Popen(words, env=run.environment(), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid, self.rounds = self.process.stdout.readline().strip(), 0

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.rounds += 1
        self.run.equal(self.process.stdout.readline(), f"round {self.rounds}\n", "the program says")

    def tell(self, word, target=None):
        done = subprocess.run([self.run.spur, word, target or self.pid], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=HANG_S, text=True, check=False)
        self.run.equal(done.returncode, 0, f"status of spur {word}: {done.stdout}")

    def end(self):
        out, err = self.process.communicate(timeout=HANG_S)
        print(err, end="")
        self.run.equal((self.process.returncode, out), (0, ""), "how the program ends")
        return self.run.judge(self.archive)


ON, OFF = 1, 2


def modes(trace):
    """The values of MeasurementOnOff by location."""
    return [[values[0] for name, _, values, _ in trace.events(stream.location)
             if name == "MeasurementOnOff"] for stream in trace.streams]


def expect_rounds(run, trace, rounds, kept, switches):
    """These rounds were recorded; so many locks, unlocks and releases of the lock that is kept (what
    nobody has seen acquired has no release); these switches."""
    regions, kinds = trace.regions(), trace.kinds()
    calls = rounds * THREADS * CALLS
    run.equal(regions.get("pthread_mutex_lock", 0), calls + kept[0], "pthread_mutex_lock")
    run.equal(regions.get("pthread_mutex_unlock", 0), calls + kept[1], "pthread_mutex_unlock")
    run.equal(kinds.get("ThreadAcquireLock", 0), calls + kept[0], "ThreadAcquireLock")
    run.equal(kinds.get("ThreadReleaseLock", 0), calls + kept[2], "ThreadReleaseLock")
    run.equal(modes(trace), switches, "MeasurementOnOff by location")


def one_process(run):
    live = Live(run, "process")
    live.round()
    live.tell("off")
    live.round()
    live.round()
    live.tell("on")
    live.round()
    live.tell("off")  # nobody notices this one
    live.tell("on")
    live.round()
    live.tell("off")
    live.round()
    # The lock that is taken in the first round is released in the second: not recorded.
    expect_rounds(run, live.end(), 3, (2, 1, 1), [[OFF, ON, OFF]] * THREADS)


def one_session(run):
    """Off from the start; the threads are made in the pause."""
    live = Live(run, "session", ["--start", "off"])
    live.round()
    live.tell("on", live.archive)
    live.round()
    live.tell("off", live.archive)
    live.round()
    # The main thread gives back a lock that it took in the pause, and waits for threads that it
    # did not see begin.
    expect_rounds(run, live.end(), 1, (0, 1, 0), [[OFF, ON, OFF], [OFF], [OFF]])


def never_on(run):
    live = Live(run, "never", ["--start=off"])
    live.round()
    trace = live.end()
    run.equal(trace.kinds(), {"ProgramBegin": 1, "ProgramEnd": 1, "MeasurementOnOff": 1}, "records")


def refused(run, target, why):
    done = subprocess.run([run.spur, "off", target], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=HANG_S, text=True, check=False)
    run.expect(done.returncode == 1 and why in done.stderr and done.stderr.count("\n") == 1,
               f"one line with '{why}' about {target}, not {done.stderr!r}")


def mistakes(run):
    gone = subprocess.Popen(["true"])
    gone.wait()
    refused(run, str(gone.pid), "there is no process")
    refused(run, str(os.getpid()), "is not recorded by spur")
    refused(run, run.scratch, "there is no .spur in it")
    refused(run, os.path.join(run.scratch, "session"), "there is no .spur in it")
    refused(run, os.path.join(run.scratch, "missing"), "there is no .spur in it")
    words = [run.spur, "-q", "-o", os.path.join(run.scratch, "quiet"), "sh", "-c", "echo $$; read x"]
    live = subprocess.Popen(words, env=run.environment(), stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    refused(run, live.stdout.readline().strip(), "has made no recorded call yet")
    live.communicate("\n", timeout=HANG_S)


def main(run):
    one_process(run)
    one_session(run)
    never_on(run)
    mistakes(run)
