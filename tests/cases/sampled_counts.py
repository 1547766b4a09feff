# SPDX-License-Identifier: BSD-3-Clause
"""As many samples as the rate times the CPU time, of each thread, however busy the machine is."""

import os

of = "agent/sampling"
RATE = 100
NS = 1_000_000_000
PART = 0.05  # of all
MORE = 2     # of a thread, which also runs before and after its work


def main(run):
    place = os.path.join(run.scratch, "archive")
    words = [run.spur, "--sample", str(RATE), "-o", place]
    traced = run.execute(words + run.command(["{programs}/thread_sampled_counts"]), "run")
    run.equal(traced.status, 0, f"exit status: {traced.stderr}")
    wanted = [RATE * int(line.split()[1]) / NS for line in traced.stdout.splitlines()]
    trace = run.judge(place)
    archive = trace.archive
    told = {archive.string(values["name"]): archive.string(values["value"])
            for name, values in archive.definitions if name == "LocationGroupProperty"}
    lost = int(told["SAMPLES_LOST"])
    counts = [stream.kinds.get("CallingContextSample", 0) for stream in trace.streams]
    print(f"  {counts} samples of {[round(want, 1) for want in wanted]}, {lost} lost,"
          f" {told['SAMPLES_MERGED']} merged")
    run.equal(len(counts), len(wanted), "threads")
    # Each expiration is told or counted, so not one is missing.
    for number, (count, want) in enumerate(zip(counts, wanted)):
        run.expect(int(want) - lost <= count <= want + MORE,
                   f"{want:.1f} samples of thread {number}, got {count}")
    run.expect(abs(sum(counts) + lost - sum(wanted)) <= PART * sum(wanted),
               f"{sum(wanted):.1f} samples, got {sum(counts)}")
    run.equal(int(told["SAMPLES"]), sum(counts), "the property SAMPLES")
