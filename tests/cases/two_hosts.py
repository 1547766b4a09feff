# SPDX-License-Identifier: BSD-3-Clause
"""
A job on two hosts whose clocks differ: the archive has one time. The hosts are namespaces of this
machine (tests/hosts), so their clocks run equally fast and differ by what the test chose.
"""

import os
import shutil
import subprocess

import hosts
import otf2

of = "finish/events session"
HOSTS = hosts.HOSTS
AHEAD = 1_000_000_000_000  # ns that the second host's clock is ahead of the first one's
CALENDAR = 1e6         # ns: the error that clocks which nobody measured are said to have
OFFSET_RECORD = 6

mpi = ["mpich", "openmpi"]
A_HOST = 2  # ranks
N = 2 * A_HOST
command = ["{programs}/ring{mpi}"]
env = {"SPUR_CLOCK": "monotonic"}


def launcher(run, n_hosts=2, a_host=None):
    return hosts.launcher(run.mpi, n_hosts, a_host or A_HOST)


def record(run, name, words, more=None, n_hosts=2):
    """
    Run `words` on the front end; the Result. MPICH 4.0 hangs now and then in MPI_Finalize of several hosts,
    traced or not: with the library it does not.
    """
    more = dict(more or {})
    if run.mpi == "mpich":
        more["LD_PRELOAD"] = os.path.join(run.programs, "ucx_progress.so")
    return run.execute([os.path.join(HOSTS, "run"), "-n", str(n_hosts)] + words, name, more)


def offsets(trace, location):
    """[(time, offset, deviation)] of a location."""
    from judge.otf2_read import LOCAL
    path = f"{trace.archive.name}/{location}.def"
    return [(values["time"], values["offset"], values["standardDeviation"])
            for name, values in trace.archive._chunked(path, False).definitions(LOCAL)
            if name == "ClockOffset"]


def without_offsets(archive):
    """A copy of the archive whose local definitions have no clock offsets."""
    copy = archive + ".raw"
    shutil.copytree(archive, copy)
    for name in os.listdir(os.path.join(copy, "traces")):
        if name.endswith(".def"):
            path = os.path.join(copy, "traces", name)
            with open(path, "rb") as file:
                data = file.read()
            with open(path, "wb") as file:
                file.write(cut_offsets(data))
    return copy


def cut_offsets(data):
    """Local definitions of one chunk: a header of 18 bytes, records of id, length and content."""
    kept, at = data[:18], 18
    while data[at] >= 5:
        end = at + 2 + data[at + 1] if data[at + 1] < 255 else \
            at + 10 + int.from_bytes(data[at + 2:at + 10], "little")
        if data[at] != OFFSET_RECORD:
            kept += data[at:end]
        at = end
    return kept + data[at:]


def clock_error(trace):
    """What the archive says its times may be wrong by, between hosts, in ns."""
    return max(trace.archive.clock_error(rank << 32) for rank in range(N))


def reversed_messages(archive, error=0):
    """
    (messages, how many were received before they were sent, by more than the error), by the reference's
    reader.
    """
    sent, received = {}, {}
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as reader:
        for location, event in reader.events:
            kind, here = type(event).__name__, location.group.name
            if kind in ("MpiSend", "MpiIsend"):
                key = (here, f"MPI Rank {event.receiver}", event.msg_tag)
                sent.setdefault(key, []).append(event.time)
            elif kind in ("MpiRecv", "MpiIrecv"):
                key = (f"MPI Rank {event.sender}", here, event.msg_tag)
                received.setdefault(key, []).append(event.time)
    pairs = [pair for key in sent for pair in zip(sorted(sent[key]), sorted(received[key]))]
    return len(pairs), sum(there + error < here for here, there in pairs)


def check_offsets(run, trace, is_measured=True):
    """The first host's clock is the reference; the other one's difference is known exactly."""
    for rank in range(N):
        points = offsets(trace, rank << 32)
        run.equal(len(points), 2 if rank >= A_HOST else 0, f"clock offsets of rank {rank}")
        for _, offset, deviation in points:
            run.expect(0 < deviation < 1e9, f"an error bound, not {deviation} ns")
            run.equal(deviation != CALENDAR, is_measured, "clocks were measured")
            run.expect(abs(offset + AHEAD) <= deviation,
                       f"an offset of {-AHEAD} +- {deviation} ns, not {offset}")
        run.equal(points, offsets(trace, rank // A_HOST * A_HOST << 32),
                  "offsets of ranks of one host")


def check_order(run, archive, trace):
    count, wrong = reversed_messages(archive, clock_error(trace))
    run.equal(count, 15 * N, "messages")
    run.equal(wrong, 0, "messages that were received before they were sent")
    # That could have gone wrong.
    raw = without_offsets(archive)
    wrong = reversed_messages(raw)[1]
    run.expect(wrong > 0, "reversed messages without the correction")
    verdict = subprocess.run([run.spur, "check", "--strict", raw], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
    run.expect(verdict.returncode != 0 and b"message-time" in verdict.stdout,
               f"spur check to find them: {verdict.stdout.decode(errors='replace')}")


def check_hosts(run, trace, n_hosts=2):
    nodes = [trace.archive.string(values["name"]) for name, values in trace.archive.definitions
             if name == "SystemTreeNode"]
    run.equal(nodes, ["Machine"] + [f"host{host + 1}" for host in range(n_hosts)], "system tree")


def a_job(run):
    archive = os.path.join(run.scratch, "job.archive")
    result = record(run, "job", [run.spur, "-o", archive] + launcher(run) + run.command())
    run.equal(result.status, 0, "exit status")
    n = N
    run.equal(result.stdout.strip(), f"token {10 * (n - 1)} after 10 rounds of {n} ranks", "output")
    trace = run.judge(archive)
    check_hosts(run, trace)
    check_offsets(run, trace)
    check_order(run, archive, trace)


def a_job_that_is_killed(run):
    """What was measured in MPI_Init counts. Processes of other hosts cannot be seen to be dead."""
    archive = os.path.join(run.scratch, "killed.archive")
    words = [run.spur, "-o", archive] + launcher(run) + run.command(["{programs}/abort{mpi}"])
    result = record(run, "killed", words)
    run.expect(result.status != 0, "a status of MPI_Abort")
    run.expect(any("on host" in line for line in result.spur), f"a word about hosts: {result.spur}")
    run.expect(not os.path.exists(os.path.join(archive, "traces.otf2")), "no archive yet")
    run.equal(run.execute([run.spur, "recover", "--recover", archive], "recover").status, 0,
              "status of recover")
    trace = run.judge(archive, unfinished=True)
    check_offsets(run, trace)
    run.equal(reversed_messages(archive, clock_error(trace))[1], 0, "reversed messages of the killed job")


def a_job_with_spur_inside(run):
    """Where a rank may be untraced nothing is measured: the hosts' calendars have to do."""
    archive = os.path.join(run.scratch, "inside.archive")
    words = launcher(run) + [run.spur, "-o", archive] + run.command()
    if run.mpi == "openmpi":
        words = words[:1] + ["-x", "SPUR_CLOCK"] + words[1:]
    run.equal(record(run, "inside", words).status, 0, "exit status")
    result = run.execute([run.spur, "recover", archive], "inside")
    run.equal(result.status, 0, "status of recover")
    trace = run.judge(archive)
    check_offsets(run, trace, is_measured=False)
    run.equal(reversed_messages(archive, clock_error(trace))[1], 0, "reversed messages by the calendar")


def main(run):
    a_job(run)
    a_job_that_is_killed(run)
    a_job_with_spur_inside(run)
