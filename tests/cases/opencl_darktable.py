# SPDX-License-Identifier: BSD-3-Clause
"""
darktable's test of OpenCL, as it comes, where it refuses a processor as a device, and told to take it. It
compiles programs and makes their kernels; a few of them, since all take minutes. What it says is the same.
"""

import os
import re
import subprocess

from device_work import Devices

of = "wrappers/opencl"
DATA = "/usr/share/darktable"
PROGRAMS = {"rgbcurve.cl": 25, "rgblevels.cl": 29}  # with darktable's numbers
KERNELS = os.path.join(DATA, "kernels")
# The one but last row of the values says that the device is not disabled.
DEVICE = "0 250 0 16 16 128 0 0 0.0 0.0"


def without_measures(text):
    """Times, and the memory that is free."""
    return [re.sub(r"\d+\.\d+", "#", line) for line in text.splitlines()
            if not re.search(r"\d+MB|\d+ MB", line)]


def data_with_few_programs(run):
    folder = os.path.join(run.scratch, "data")
    kernels = os.path.join(folder, "kernels")
    os.makedirs(kernels)
    for source, target, leave in ((DATA, folder, "kernels"), (KERNELS, kernels, "programs.conf")):
        for name in os.listdir(source):
            if name != leave:
                os.symlink(os.path.join(source, name), os.path.join(target, name))
    with open(os.path.join(kernels, "programs.conf"), "w", encoding="utf-8") as file:
        file.writelines(f"{name} {number}\n" for name, number in PROGRAMS.items())
    return folder


def twice(run, label, words):
    """Alone, and traced: each with caches and settings of its own. What both have said, and the archive."""
    results = []
    archive = os.path.join(run.scratch, f"{label}.archive")
    for place, before in (("bare", []), ("traced", [run.spur, "-o", archive])):
        home = os.path.join(run.scratch, f"{label}.{place}.home")
        os.makedirs(home)
        env = {"HOME": home, "XDG_CACHE_HOME": os.path.join(home, "cache"),
               "XDG_CONFIG_HOME": os.path.join(home, "config"), "POCL_CACHE_DIR": os.path.join(home, "pocl")}
        results.append(run.execute(before + ["darktable-cltest"] + words, f"{label}.{place}", env))
    bare, traced = results
    homes = [os.path.join(run.scratch, f"{label}.{place}.home") for place in ("bare", "traced")]
    said = [without_measures(result.stdout.replace(home, "HOME")) for result, home in zip(results, homes)]
    run.equal((traced.status, said[1]), (bare.status, said[0]), f"{label}: what darktable says")
    run.equal(traced.stderr, bare.stderr, f"{label}: errors")
    subprocess.run([run.spur, "check", "--strict", "--quiet", archive], check=True)
    return bare.stdout, run.judge(archive)


def main(run):
    said, trace = twice(run, "refused", [])
    run.expect("discarding new device" in said, f"the processor to be refused: {said}")
    run.expect(trace.regions()["clGetDeviceInfo"] > 5, "queries of the device")
    name = re.search(r"CANONICAL NAME: +(\w+)", said).group(1)
    said, trace = twice(run, "taken", ["--datadir", data_with_few_programs(run),
                                       "--conf", f"cldevice_v4_{name}={DEVICE}",
                                       "--conf", f"cldevice_v4_{name}_building=-I{KERNELS}"])
    run.expect("FINALLY: opencl is AVAILABLE" in said, f"the processor to be taken: {said}")
    run.equal(trace.regions()["clBuildProgram"], len(PROGRAMS), "programs")
    devices = Devices(run, trace)
    run.equal(len(devices.check_times()), len(devices.given), "work by call")
    run.equal({name: (way, n) for name, (way, n, _) in devices.counts().items()},
              {"copy image to buffer": ("put", 1)}, "what darktable measures the device by")
