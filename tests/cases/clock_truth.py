# SPDX-License-Identifier: BSD-3-Clause
"""
The clock of the events, its rate and why it is that one: the same from every command, and true by what a
program says that reads the clock itself, however it is finished. The agent looks at the clock when it should.
"""

import os
import re
import subprocess

from cases import tsc_forbidden
from patience import HANG_S

of = "agent/state finish/define"
ENDS = ("end", "kill", "snapshot", "attach")
LONG_S = 1.0
PPM = 5  # a reading is right to 1 us here, when the machine is busy
SAID = re.compile(r"TSC, (\d+\.\d{6}) MHz, at most (\d+\.\d) us off CLOCK_MONOTONIC at once")
OFF_US = 200  # the machine may stop the agent between two readings
COST = re.compile(r"clock:? +(TSC \(.*\)|CLOCK_MONOTONIC \(.*\)), a reading takes (\d+) ns")


class Program:
    def __init__(self, run, words, env):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(words, env=run.environment(env), text=True, bufsize=1,
                                        cwd=run.scratch, **pipes)

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        return self.process.stdout.readline().strip()

    def end(self, word=""):
        return self.process.communicate(word, timeout=HANG_S)


def clock_of(run, archive, rate):
    """What all commands say of it."""
    trace = run.judge(archive, True)
    texts = set(trace.archive.said("SPUR::CLOCK"))
    run.equal(len(texts), 1, f"clocks: {texts}")
    said = SAID.fullmatch(texts.pop())
    run.expect(said, "what is said of the clock")
    mhz, off = float(said[1]), float(said[2])
    print(f"{archive}: {mhz} MHz, {(mhz / rate - 1) * 1e6:+.2f} ppm from the truth, {off} us off")
    run.expect(abs(mhz / rate - 1) < PPM * 1e-6, f"{mhz} MHz, it is {rate}")
    run.expect(off < OFF_US, f"{off} us off at once")
    printed = run.says("print", "-G", archive)
    run.expect(said[0] in printed, "the same by spur print")
    resolution = int(re.search(r"Ticks per Seconds: (\d+)", printed)[1])
    run.equal(resolution, round(mhz * 1e6), "the timer resolution")
    remarks = [text for text in run.report(archive)["remarks"] if "clock" in text]
    run.equal(remarks, [], "a clock that was not corrected")


def finished(run, how):
    archive = os.path.join(run.scratch, how)
    words = run.command(["{programs}/thread_clock_truth"])
    settings = {"SPUR_CLOCK": "tsc", "SPUR_PTHREAD": "all", "SPUR_VERBOSE": "0"}
    program = Program(run, words if how == "attach" else [run.spur, "-o", archive, *words], settings)
    if how == "attach":
        run.equal(program.ask("first"), "unseen", "a pair before spur attach")
        subprocess.run([run.spur, "attach", "-o", archive, str(program.process.pid)], check=True,
                       env=run.environment(settings), stdout=subprocess.DEVNULL)
        run.equal(program.ask("first"), "seen", "a pair since spur attach")
    program.ask("lock")
    try:
        program.process.wait(LONG_S)
    except subprocess.TimeoutExpired:
        pass
    program.ask("lock")
    rate = float(program.ask("rate"))
    if how == "snapshot":
        subprocess.run([run.spur, "snapshot", archive, "-o", archive + ".copy"], check=True,
                       env=run.environment({"SPUR_VERBOSE": "0"}))
        clock_of(run, archive + ".copy", rate)
    program.end("kill\n" if how == "kill" else "")
    clock_of(run, archive, rate)


def looked_at(run):
    """None of these calls is recorded: where a record follows a pause, the agent looks for that."""
    archive = os.path.join(run.scratch, "looks")
    words = run.command(["{programs}/thread_clock_truth"])
    settings = {"SPUR_CLOCK": "tsc", "SPUR_WRAP": "pthread", "SPUR_PTHREAD": "all"}
    program = Program(run, [run.spur, "-o", archive, *words], settings)
    program.ask("lock")
    for word, said in (("first", "seen"), ("none", "unseen"), ("fork", "seen"), ("none", "unseen"),
                       ("execute", "seen")):
        run.equal(program.ask(word), said, word)
    program.end()


def named(run):
    words = run.command(["{programs}/thread_clock_truth"])
    archive = os.path.join(run.scratch, "named")
    program = Program(run, [run.spur, "-o", archive, *words], {"SPUR_VERBOSE": "2"})
    program.ask("lock")
    _, verbose = program.end()
    doctor = run.execute([run.spur, "doctor", *words], "named").stdout
    said = [COST.search(text) for text in (verbose, doctor)]
    run.expect(all(said), f"the clock, by SPUR_VERBOSE and spur doctor: {verbose}, {doctor}")
    run.equal(said[0][1], said[1][1], "the clock, and why")
    costs = [int(match[2]) for match in said]
    run.expect(0 < min(costs) and max(costs) < 20 * min(costs), f"what a reading costs: {costs} ns")


def main(run):
    named(run)
    if not tsc_forbidden.HAS_TSC:
        return
    looked_at(run)
    for how in ENDS:
        finished(run, how)
