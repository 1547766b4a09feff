#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
run_gpu.py BUILD FOLDER [CASE...]: programs on a real GPU, under spur and alone. BUILD has bin/spur. FOLDER
gets the programs, where they are not there yet (by nvcc with NVCC_FLAGS, `-arch=native` by default), and the
archives. Each program prints what it gave to the GPU. The archive has to have the same, and `spur check` has
to find it true. A last table has what was measured: kernels against CUDA's events, and a launch with and
without spur. `torch` and `profiled` need PyTorch, for the python of TORCH_PYTHON; `ranks` needs an mpirun.
"""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "lib")]

from device_work import Devices, counted, properties  # noqa: E402
from judge.otf2_read import Archive  # noqa: E402

LIMIT_S = 120
CLOSE = 0.05
ROUNDS = 3


class Trace:
    """What Devices wants."""

    def __init__(self, archive):
        self.archive = Archive(os.path.join(archive, "traces.otf2"))
        clock = next(values for name, values in self.archive.definitions if name == "ClockProperties")
        self.ns = 1e9 / clock["timerResolution"]  # of a tick


class Gpu:
    """One build, one folder, one case at a time."""

    def __init__(self, build, folder):
        self.spur = os.path.join(os.path.abspath(build), "bin", "spur")
        self.folder = os.path.abspath(folder)
        self.faults, self.table = [], []
        os.makedirs(self.folder, exist_ok=True)

    def expect(self, is_right, text):
        if not is_right:
            self.faults.append(f"expected {text}")

    def equal(self, got, want, what):
        if got != want:
            self.faults.append(f"{what}: got {got!r}, want {want!r}")

    def program(self, name):
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            return path
        source = os.path.join(HERE, name)
        cuda = os.environ.get("CUDA_HOME", "/usr/local/cuda")
        if name == "gpu_floor.so":
            words = ["cc", "-shared", "-fPIC", f"-I{cuda}/include", f"-I{cuda}/extras/CUPTI/include",
                     os.path.join(HERE, "gpu_floor.c"), f"-L{cuda}/lib64", f"-L{cuda}/extras/CUPTI/lib64",
                     "-lcupti"]
        elif name == "gpu_ranks":
            words = ["mpicc", f"-I{cuda}/include", source + ".c", f"-L{cuda}/lib64", "-lcudart_static",
                     "-ldl", "-lrt", "-lpthread"]
        else:
            kind = "shared" if name.endswith("_shared") else "static"
            words = ["nvcc", *os.environ.get("NVCC_FLAGS", "-arch=native").split(), "-cudart", kind,
                     os.path.join(HERE, "gpu_work.cu"), f"-L{cuda}/lib64/stubs", "-lcuda"]
        subprocess.run([*words, "-O2", "-o", path], check=True)
        return path

    def execute(self, words, **environment):
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, check=False,
                              env={**os.environ, **environment})
        said = done.stderr.decode(errors="replace").splitlines()
        return done.returncode, done.stdout.decode(errors="replace"), said

    def traced(self, case, words, **environment):
        archive = os.path.join(self.folder, case)
        shutil.rmtree(archive, ignore_errors=True)
        status, text, said = self.execute([self.spur, "-o", archive, *words], **environment)
        for line in said:
            print(f"    {line}")
        return status, text, archive

    def check(self, archive, unfinished=False):
        more = ["--allow-unfinished"] if unfinished else []
        status, text, said = self.execute([self.spur, "check", "--strict", "--disable", "device-unfinished",
                                           *more, archive])
        self.expect(status == 0, f"spur check: {text[-1500:]} {said}")

    def work(self, case, words, unfinished=False, **environment):
        """The program alone and traced; the devices of its archive."""
        plain = self.execute(words)
        status, text, archive = self.traced(case, words, **environment)
        self.equal(status, plain[0], f"status; {plain[2][-3:]}")
        self.equal(comparable(text), comparable(plain[1]), "what the program prints")
        self.check(archive, unfinished)
        trace = Trace(archive)
        devices = Devices(self, trace)
        devices.ns = trace.ns
        return text, plain[1], devices


def comparable(text):
    return [line for line in text.splitlines() if line.split(None, 1)[0] not in ("time", "cost", "peak")]


def without_waits(counts):
    return {name: told for name, told in counts.items() if told[0] != "other"}


def numbers(text, word):
    return [float(line.split()[1]) for line in text.splitlines() if line.startswith(word + " ")]


def check_counts(gpu, text, devices):
    gpu.equal(without_waits(devices.counts()), counted(text), "work of the GPU")


def check_order(gpu, devices):
    """Nothing begins before its launch."""
    for location, works in devices.work.items():
        for work in works:
            if "Device Correlation" not in work.said:
                continue  # unified memory that moves
            given = devices.given.get((location >> 32, work.said["Device Correlation"]))
            gpu.expect(given is not None and given <= work.begin <= work.end, f"{work.name} after its launch")


def case_memory(gpu, case):
    """The peak that the report shows is that which the program has printed."""
    text, _, devices = gpu.work(case, [gpu.program("gpu_work"), case])
    check_counts(gpu, text, devices)
    status, told, _ = gpu.execute([gpu.spur, "report", "--json", os.path.join(gpu.folder, case)])
    gpu.equal(status, 0, "spur report")
    peaks = {row["metric"]: row["max"] for row in json.loads(told)["sections"]["metrics"]
             if row["metric"].startswith("Device ")}
    gpu.equal(peaks, {line.split(None, 2)[2]: int(line.split()[1]) for line in text.splitlines()
                      if line.startswith("peak ")}, "peaks of memory")


def case_work(gpu, case, **environment):
    text, _, devices = gpu.work(case, [gpu.program("gpu_work"), case], **environment)
    check_counts(gpu, text, devices)
    check_order(gpu, devices)


def case_shared(gpu, _):
    """The runtime as a library, not within the program."""
    text, _, devices = gpu.work("shared", [gpu.program("gpu_work_shared"), "all"])
    check_counts(gpu, text, devices)
    check_order(gpu, devices)


def case_times(gpu, case):
    text, _, devices = gpu.work(case, [gpu.program("gpu_work"), case])
    check_counts(gpu, text, devices)
    want = numbers(text, "time")
    got = [(work.end - work.begin) * devices.ns for works in devices.work.values() for work in works
           if work.name == "busy"][1:]
    worst = max(abs(a / b - 1) for a, b in zip(got, want))
    gpu.equal(len(got), len(want), "kernels between events")
    gpu.expect(worst < CLOSE, f"times of kernels as those of events: {got} {want}")
    gpu.table.append(f"kernels of {min(want) / 1e6:.1f} to {max(want) / 1e6:.1f} ms against events: "
                     f"{worst:.2%} at most")


def case_part(gpu, case):
    """A program that does not end by exit(): what is there is right, and nothing is there twice."""
    text, _, devices = gpu.work(case, [gpu.program("gpu_work"), case], unfinished=True)
    check_order(gpu, devices)
    got = without_waits(devices.counts())
    print(f"    {got} of {counted(text)}")
    for name, (_, n, _) in counted(text).items():
        gpu.expect(got.get(name, (0, 0, 0))[1] == n, f"all of {name}: {got.get(name)} of {n}")


def case_cost(gpu, case):
    """The least of several rounds, in which all ways take turns."""
    words, floor = [gpu.program("gpu_work"), case], gpu.program("gpu_floor.so")
    text, _, devices = gpu.work(case, words)
    check_counts(gpu, text, devices)
    alone = {"bare": {}, "CUPTI alone, calls": {"GPU_FLOOR": "c"}, "CUPTI alone, kernels": {"GPU_FLOOR": "k"},
             "CUPTI alone, both": {"GPU_FLOOR": "ck"}}
    traced = {"recorded": {}, "SPUR_CUDA=none": {"SPUR_CUDA": "none"},
              "without cuda": {"SPUR_WRAP": "user,pthread,process"}}
    least = {}
    for _ in range(ROUNDS):
        for name, environment in {**alone, **traced}.items():
            if name in traced:
                text = gpu.traced(case + ".again", words, **environment)[1]
            else:
                more = {"CUDA_INJECTION64_PATH": floor} if environment else {}
                text = gpu.execute(words, **environment, **more)[1]
            least[name] = min(numbers(text, "cost") + [least.get(name, 1e9)])
    gpu.table += [f"a launch, {name}: {ns:.0f} ns" for name, ns in least.items()]


def case_ranks(gpu, case):
    mpirun = os.environ.get("MPIRUN", "mpirun").split()
    text, _, devices = gpu.work(case, [*mpirun, "-n", "2", gpu.program("gpu_ranks")])
    check_counts(gpu, text, devices)
    check_order(gpu, devices)
    gpu.equal(len({location >> 32 for location in devices.work}), 2, "ranks with devices")


def profiled_kernels(text):
    """What PyTorch's profiler has printed, but for copies and fills."""
    lines = [line.split(None, 1) for line in text.splitlines()]
    return {name: int(n) for n, name in lines if not name.startswith(("Memcpy", "Memset", "outside"))}


def case_torch(gpu, case):
    python, script = os.environ.get("TORCH_PYTHON", "python3"), os.path.join(HERE, "gpu_torch.py")
    text, _, devices = gpu.work(case, [python, script])
    check_order(gpu, devices)
    status, told, said = gpu.execute([python, script, "profile"])
    gpu.equal(status, 0, f"PyTorch's profiler {said[-3:]}")
    want = profiled_kernels(told)
    # What the program did before, to get warm, is the same.
    got = {name: n for name, (way, n, _) in devices.counts().items() if way == "kernel"}
    gpu.equal(got, {name: 2 * n for name, n in want.items()}, "kernels that PyTorch's profiler knows")


def case_profiled(gpu, case):
    """PyTorch's profiler uses CUPTI as well. It says what it says alone, and spur has what was before."""
    words = [os.environ.get("TORCH_PYTHON", "python3"), os.path.join(HERE, "gpu_torch.py"), "profile"]
    plain = gpu.execute(words)
    for name, environment in (("none", {"SPUR_CUDA": "none"}), ("default", {})):
        status, text, archive = gpu.traced(f"{case}.{name}", words, **environment)
        gpu.equal(status, plain[0], f"status; {plain[2][-3:]}")
        gpu.equal(text, plain[1], f"what PyTorch's profiler says, {name}")
        gpu.check(archive)
    trace = Trace(archive)
    devices = Devices(gpu, trace)
    check_order(gpu, devices)
    got = {name: n for name, (way, n, _) in devices.counts().items() if way == "kernel"}
    gpu.equal(got, profiled_kernels(plain[1]), "kernels before the profile")
    gpu.equal(properties(trace, "CUPTI_TAKEN"), ["cuptiSubscribe"], "the call that took CUPTI")


def case_migrated(gpu, case):
    """Memory that the host has written moves to the device when a kernel needs it, and back."""
    text, _, devices = gpu.work(case, [gpu.program("gpu_work"), "managed"], SPUR_CUDA="default,unified")
    check_order(gpu, devices)
    counts = devices.counts()
    moves = {name: counts.pop(name) for name in list(counts) if name not in counted(text)}
    gpu.equal(without_waits(counts), counted(text), "work of the GPU")
    gpu.table.append(f"unified memory: {moves}")
    size = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("managed "))
    for name, way in (("migrate to device", "get"), ("migrate to host", "put")):
        got = moves.get(name, (None, 0, 0))
        gpu.expect(got[0] == way and got[2] > 0, f"{name}: {got}")
    gpu.expect(moves.get("migrate to device", (0, 0, 0))[2] >= size, f"all of {size} bytes to move: {moves}")


COUNTED = ("all", "streams", "graph", "managed", "pool", "threads", "launches", "many", "reset", "child",
           "early")
CASES = {**dict.fromkeys(COUNTED, case_work), "memory": case_memory, "shared": case_shared,
         "times": case_times,
         **dict.fromkeys(("quick", "exec", "killed"), case_part), "cost": case_cost,
         "migrated": case_migrated, "ranks": case_ranks, "torch": case_torch, "profiled": case_profiled}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gpu = Gpu(*sys.argv[1:3])
    failed = []
    for case in sys.argv[3:] or CASES:
        print(f"{case}:", flush=True)
        gpu.faults = []
        try:
            CASES[case](gpu, case)
        except (OSError, subprocess.SubprocessError, KeyError, IndexError, ValueError) as error:
            gpu.faults.append(f"{type(error).__name__}: {error}")
        for fault in gpu.faults[:5]:
            print(f"  {fault[:2000]}")
        if gpu.faults:
            failed.append(case)
    print("\n".join(gpu.table))
    print(f"{len(failed)} failed: {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
