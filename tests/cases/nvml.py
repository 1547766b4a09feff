# SPDX-License-Identifier: BSD-3-Clause
"""
Metrics of GPUs, from an NVML of the tests' own (tests/programs/cuda/fake_nvml.c) that writes down each
value that it gives: all of them are in the archive, and no other ones. One process of a host records a GPU
at a time, whoever sees it; CUDA_VISIBLE_DEVICES says which GPUs these are; what is missing is said.
"""

import os

from trace_metrics import ASYNCHRONOUS, Metrics

of = "agent/metrics/sources"
READINGS = {"power": 200, "energy": 201, "sm-clock": 202, "memory-clock": 203, "memory-used": 205,
            "temperature": 206, "power-instant": 186, "pcie-tx": 197, "pcie-rx": 198, "nvlink-tx": 138,
            "nvlink-rx": 139}
COUNTERS = {"energy", "pcie-tx", "pcie-rx", "nvlink-tx", "nvlink-rx"}
SHARES = 204                       # one reading for two metrics
READ_BEFORE = 2                    # whether it works, and where counters begin
ACCUMULATED, NODE_SCOPE = 0, 2
PERIOD_MS, MS = 20, 500
UUID = "GPU-{0}{0}{0}{0}0000-feed-beef-0000-000000000000".format


def traced(run, label, script, names, **env):
    """`script` has PROGRAM for the program, and is for sh, unless it is only one."""
    log = os.path.join(run.scratch, f"{label}.log")
    program = run.command(["{programs}/nvml_steps"])[0]
    settings = {"SPUR_METRICS_ASYNC": ",".join(f"nvml:{name}" for name in names) + f",period={PERIOD_MS}",
                "LD_LIBRARY_PATH": os.path.join(os.path.dirname(program), "cuda"),
                "FAKE_NVML_LOG": log, "SPUR_PTHREAD": "all", **env}
    script = script.replace("PROGRAM", program)
    words = ["sh", "-c", script] if set(";&") & set(script) else script.split()
    result, archive = run.record(label, words, {name: value for name, value in settings.items()
                                                if value is not None})
    return result, run.judge(archive), log


def given(log):
    """{pid: {(gpu, what): [value]}}"""
    found = {}
    if os.path.exists(log):
        with open(log, encoding="ascii") as lines:
            for line in lines:
                pid, gpu, what, value = map(int, line.split())
                found.setdefault(pid, {}).setdefault((gpu, what), []).append(value)
    return found


def recorded(trace):
    """{location: {metric: [(time in ms, value)]}} of the locations for the host."""
    metrics, found = Metrics(trace), {}
    ms = 1e3 / metrics.clock_frequency()
    for number, (_, values) in trace.archive.spaces["Location"].items():
        if trace.archive.string(values["name"]) != "Metrics of the host":
            continue
        for time, reading in metrics.lone(number):
            for name, value in reading.items():
                found.setdefault(number, {}).setdefault(name, []).append((time * ms, value))
    return found


def names_in(trace):
    return sorted(name for of in recorded(trace).values() for name in of)


def expected(name, values):
    if name not in COUNTERS:
        return values[READ_BEFORE:]
    size = 1 << 32 if name.startswith("pcie") else 1 << 64
    return [(value - values[READ_BEFORE - 1]) % size for value in values[READ_BEFORE:]]


def all_values(run):
    _, trace, log = traced(run, "all", f"PROGRAM {MS}",
                           [*READINGS, "gpu-utilization", "memory-utilization"], FAKE_NVML="gpus=2")
    (by_name,) = recorded(trace).values()
    (by_part,) = given(log).values()
    for gpu in range(2):
        for name, what in READINGS.items():
            seen = [value for _, value in by_name[f"nvml:{name}:{gpu}"]]
            want = expected(name, by_part[gpu, what])
            if name == "temperature":
                want = [value % 100 for value in want]
            run.equal(seen, want, f"{name} of GPU {gpu}")
        shares = [value % 100 for value in by_part[gpu, SHARES]]
        gpu_share, memory_share = ([value for _, value in by_name[f"nvml:{name}:{gpu}"]]
                                   for name in ("gpu-utilization", "memory-utilization"))
        run.equal((gpu_share, memory_share),
                  ([share for share in shares[2 * READ_BEFORE::2]],
                   [share // 2 for share in shares[2 * READ_BEFORE + 1::2]]), f"shares of GPU {gpu}")
    values = len(by_name["nvml:power:0"])
    run.expect(MS / PERIOD_MS / 3 <= values <= MS / PERIOD_MS + 3, f"values each {PERIOD_MS} ms: {values}")
    described(run, trace)


def described(run, trace):
    metrics, archive = Metrics(trace), trace.archive
    (node,) = (number for number, (_, values) in archive.spaces["SystemTreeNode"].items()
               if archive.string(values["className"]) == "node")
    for number, values in metrics.instances().items():
        run.equal((values["metricScope"], values["scope"]), (NODE_SCOPE, node), "scope: the host")
        for name, member in metrics.members(number):
            is_counter = name.split(":")[1] in COUNTERS
            run.equal(member["metricMode"] & 15 == ACCUMULATED, is_counter, f"{name} counts")
    run.equal(len(metrics.instances()), 2, "one for each GPU")
    run.equal({values["metricOccurrence"] for values in metrics.classes().values()}, {ASYNCHRONOUS},
              "classes")
    units = {name: (archive.string(member["unit"]), member["base"], member["exponent"])
             for number in metrics.classes() for name, member in metrics.members(number)}
    run.equal(units["nvml:power:1"], ("W", 1, -3), "unit of power")
    run.equal(units["nvml:sm-clock:0"], ("Hz", 1, 6), "unit of clocks")
    run.equal(units["nvml:nvlink-tx:0"], ("bytes", 0, 10), "unit of NVLink")


def of_one_gpu(trace, name):
    """Of all processes, in the order of time."""
    return sorted(reading for of in recorded(trace).values() for reading in of.get(name, []))


def several(run):
    """Together they read as often as one of them does; and when the first ends, others go on."""
    script = f"PROGRAM {MS // 3} & PROGRAM {MS} & PROGRAM {MS} & wait"
    _, trace, log = traced(run, "several", script, ["power"])
    readings = of_one_gpu(trace, "nvml:power:0")
    run.equal(len(given(log)), 4, "processes that have NVML, with the shell")
    whole = readings[-1][0] - readings[0][0]
    # The last reading of each process comes early, and so may the first one of the next.
    most = whole / PERIOD_MS + 2 * len(given(log))
    run.expect(MS / PERIOD_MS / 3 <= len(readings) <= most, f"values in {whole} ms: {len(readings)}")
    run.expect(whole > MS * 0.9, f"values until the end: {whole} ms")


def silent_owner(run):
    """A shell records an event, and then waits: the program takes the GPU from it."""
    _, trace, _ = traced(run, "silent", f"PROGRAM 1; PROGRAM {3 * MS}; :", ["power"])
    readings = of_one_gpu(trace, "nvml:power:0")
    run.expect(len(readings) >= MS / PERIOD_MS / 3, f"values: {len(readings)}")


def visible(run):
    first, second, both = ["nvml:power:0"], ["nvml:power:1"], ["nvml:power:0", "nvml:power:1"]
    for label, value, want in (("none", None, both), ("number", "1", second), ("order", "1,0", both),
                               ("bad", "0,x,1", first), ("beyond", "1,2,0", second),
                               ("uuid", UUID(1), second), ("part", "GPU-0", first),
                               ("ambiguous", "GPU-", []), ("empty", "", []), ("minus", "-1", []),
                               ("mig", "MIG-of-the-second", second),
                               ("oldmig", f"MIG-{UUID(0)}/1/0", first)):
        result, trace, _ = traced(run, f"visible.{label}", "PROGRAM 30", ["power"], FAKE_NVML="gpus=2",
                                  CUDA_VISIBLE_DEVICES=value)
        run.equal(names_in(trace), want, f"CUDA_VISIBLE_DEVICES={value}")
        said = [line for line in result.spur if "CUDA_VISIBLE_DEVICES leaves no GPU" in line]
        run.equal(len(said), 0 if want else 1, f"{value}: lines {result.spur}")
    result, trace, _ = traced(run, "mixed", "PROGRAM 30", ["power"], FAKE_NVML="gpus=2,mixed",
                              CUDA_VISIBLE_DEVICES="1")
    run.equal(names_in(trace), [], "numbers where GPUs differ")
    run.expect(any("CUDA_DEVICE_ORDER=PCI_BUS_ID" in line for line in result.spur), f"remedy: {result.spur}")
    _, trace, _ = traced(run, "ordered", "PROGRAM 30", ["power"], FAKE_NVML="gpus=2,mixed",
                         CUDA_VISIBLE_DEVICES="1", CUDA_DEVICE_ORDER="PCI_BUS_ID")
    run.equal(names_in(trace), second, "numbers along the bus")
    _, trace, _ = traced(run, "one", "PROGRAM 30", ["power:1", "energy"], FAKE_NVML="gpus=2")
    run.equal(names_in(trace), ["nvml:energy:0", "nvml:energy:1", "nvml:power:1"], "one GPU by its number")


def missing(run):
    for label, env, words in (
            ("nothing", {"LD_LIBRARY_PATH": None},
             "nvml:power, nvml:energy: not recorded: no libnvidia-ml.so.1"),
            ("broken", {"FAKE_NVML": "broken"},
             "NVML does not start: Driver Not Loaded; load NVIDIA's driver")):
        result, trace, _ = traced(run, label, "PROGRAM 30", ["power", "energy"], **env)
        run.equal([words in line for line in result.spur[:-1]], [True], f"{label}: one line of {result.spur}")
        run.equal(names_in(trace), [], f"{label}: metrics")
        run.equal(trace.archive.said("METRICS_MISSING"), ["nvml:power, nvml:energy"], f"{label}: property")
    result, trace, _ = traced(run, "few", "PROGRAM 30", ["power", "energy"], FAKE_NVML="few")
    run.equal(names_in(trace), ["nvml:power:0"], "what this GPU has")
    run.expect(any("nvml:energy:0" in line and "Not Supported" in line for line in result.spur),
               f"{result.spur}")


def descriptors(run):
    """The program's own file has the number of NVML's by then."""
    _, trace, log = traced(run, "close", f"PROGRAM {MS} close", ["power"])
    ((times, _), *_), last = of_one_gpu(trace, "nvml:power:0"), of_one_gpu(trace, "nvml:power:0")[-1]
    run.expect(last[0] - times < MS * 0.75, f"no values after the file is closed: {last[0] - times} ms")
    run.equal(len(given(log)), 1, "processes")


def forked(run):
    _, trace, log = traced(run, "fork", f"PROGRAM {MS} fork", ["power"])
    run.equal(len(trace.processes()), 2, "processes")
    run.equal(len(given(log)), 1, "processes that read")
    run.expect(len(of_one_gpu(trace, "nvml:power:0")) >= MS / PERIOD_MS / 3, "values of the parent")


def main(run):
    for part in (all_values, several, silent_owner, visible, missing, descriptors, forked):
        part(run)
