# SPDX-License-Identifier: BSD-3-Clause
"""
What `spur report` says of devices, next to what they did: kernels, copies by direction (pinned or not),
their overlap, idle times and latencies. The drivers of the tests write down each work of their devices;
OpenCL is by pocl, and the program writes down what its events say.
"""

import os

import matrix
from device_truth import Comparison, Truth
from device_work import Devices

of = "wrappers/device tools/report/devices"
AXPY = {"_Z4axpyIfEvPT_S1_i": "void axpy<float>(float*, float*, int)"}

# What the drivers' numbers mean; the names of what they copy are those of the drivers' tables.
CUDA = {1: ("to device", "copy to device"), 2: ("to host", "copy to host"), 3: ("to device", "copy to array"),
        4: ("to host", "copy array to host"), 5: ("on device", "copy array to array"),
        6: ("on device", "copy array to memory"), 7: ("on device", "copy memory to array"),
        8: ("on device", "copy on device"), 9: ("fill", "copy on host"),
        10: ("on device", "copy to another device")}
HIP = {1: ("fill", "copy on host"), 2: ("to device", "copy to device"), 3: ("to host", "copy to host"),
       4: ("on device", "copy on device")}
OPENCL = [None, "to device", "to host", "on device", "fill"]
DEVICE = ("2", "3")  # kinds of memory of Level Zero, with shared one; 0 is unknown, 1 of the host


def of_cuda(kind, name):
    if kind == 10:
        return "kernel", AXPY.get(name, name)
    if kind == 2:
        return "fill", "fill"
    way, called = CUDA[int(name.split()[0])]
    return way, called + name.partition(" ")[1] + name.partition(" ")[2]


def of_hip(kind, name):
    linked = name.removesuffix(".kd")
    if name == "another":
        return "on device", "copy to another device"
    return HIP[kind] if kind else ("kernel", AXPY.get(linked, linked))


def of_levelzero(kind, name):
    if kind in (0, 2):
        return (("kernel", name), None, ("fill", "fill"))[kind]
    source, target = name.split()
    if name == "image image":
        return "on device", "copy image"
    is_from, is_to = (place in DEVICE or place == "image" for place in (source, target))
    way = {(True, True): "on device", (True, False): "to host", (False, True): "to device",
           (False, False): "fill"}[is_from, is_to]
    called = "copy on host" if way == "fill" else "copy " + way
    return way, called + " (pageable)" * (way in ("to host", "to device") and "0" in (source, target))


def of_opencl(kind, name):
    return OPENCL[kind] or "kernel", name


def named_hip(truth):
    """What only moves on the host is in a group of its own."""
    on_host = [work for work in truth.works[0, 0] if work.name == "copy on host"]
    truth.works[0, 0] = [work for work in truth.works[0, 0] if work not in on_host]
    if on_host:
        truth.works["host"] = on_host
    return {(0, 0): "Fake Instinct (device 0)", (1, 0): "HIP device (device 1)", "host": "Processor (host)"}


def named_cuda(truth):
    """Of the second device CUPTI tells no name."""
    names = "Fake GPU", "CUDA device"
    return {place: f"{names[place[0]]} (device {place[0]}, context {place[1]})" for place in truth.works}


def named_levelzero(truth):
    return {place: f"Fake Xe (device {place[0]})" for place in truth.works}


# The program, its modes, what its truth means, and by how many ns works and clocks may differ. The clock of
# a device of OpenCL is known within a call, which a busy machine makes longer by one or two slices of 3 ms.
RUNTIMES = [("cuda_all", ["all", "streams", "threads", "contexts"], of_cuda, named_cuda, 50, 3000),
            ("hip_all", ["all", "streams", "devices"], of_hip, named_hip, 50, 3000),
            ("levelzero_all", ["immediate", "lists"], of_levelzero, named_levelzero, 200, 3000),
            ("opencl_copies", ["order", "overlap"], of_opencl, None, 20000, 6000000)]


def check(run, cell, truth, names, apart):
    """By all ways to ask, the numbers are the same."""
    each, moved = apart
    sections = run.report(cell.archives[0], "--by", "devices")["sections"]
    names = names(truth) if names else {(0, 0): sections["devices"][0]["device"]}
    calls = Devices(run, cell.trace(run)).calls()
    Comparison(run, cell.what, each * 1e-9, moved * 1e-9, calls).report(sections, truth, names)
    return sections


def main(run):
    os.environ["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(run.programs, "libze_fake.so.1")
    for program, modes, named, names, *apart in RUNTIMES:
        for mode in modes:
            path = os.path.join(run.scratch, f"{program}.{mode}.truth")
            for cell in matrix.cells(run, f"{program}.{mode}", ["{programs}/" + program, mode], ["launcher"],
                                     settings={"FAKE_TRUTH": path}):
                sections = check(run, cell, Truth(path, named), names, apart)
                if mode == "overlap":
                    run.expect(sections["devices"][0]["overlap"] > 0, cell.what + "copies while kernels run")
