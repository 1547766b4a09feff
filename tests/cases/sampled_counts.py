# SPDX-License-Identifier: BSD-3-Clause
"""As many samples as the rate times the CPU time, of each thread, however busy the machine is."""

of = "agent/sampling"
RATE = 100
NS = 1_000_000_000
PART = 0.05  # of all
MORE = 2     # of a thread, which also runs before and after its work


def main(run):
    words = run.command(["{programs}/thread_sampled_counts"])
    traced, place = run.record("sampled", ["--sample", str(RATE), *words])
    wanted = [RATE * int(line.split()[1]) / NS for line in traced.stdout.splitlines()]
    trace = run.judge(place)
    lost, merged = (int(*trace.archive.said(f"SAMPLES_{what}")) for what in ("LOST", "MERGED"))
    counts = [stream.kinds.get("CallingContextSample", 0) for stream in trace.streams]
    print(f"  {counts} samples of {[round(want, 1) for want in wanted]}, {lost} lost,"
          f" {merged} merged")
    run.equal(len(counts), len(wanted), "threads")
    # Each expiration is told or counted, so not one is missing.
    for number, (count, want) in enumerate(zip(counts, wanted)):
        run.expect(int(want) - lost <= count <= want + MORE,
                   f"{want:.1f} samples of thread {number}, got {count}")
    run.expect(abs(sum(counts) + lost - sum(wanted)) <= PART * sum(wanted),
               f"{sum(wanted):.1f} samples, got {sum(counts)}")
    run.equal(int(*trace.archive.said("SAMPLES")), sum(counts), "the property SAMPLES")
