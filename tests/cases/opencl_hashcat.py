# SPDX-License-Identifier: BSD-3-Clause
"""
hashcat finds a word by its MD5 on a device: the word is right, and the device has tried what it was given.
Most of the time its kernels are compiled, which takes less for vectors of one number, and without
optimisation.
"""

import hashlib
import os

from device_work import Devices

of = "wrappers/opencl"
WORD = "spur"


def main(run):
    home = os.path.join(run.scratch, "home")
    os.makedirs(home)
    digest = hashlib.md5(WORD.encode()).hexdigest()
    words = ["hashcat", "-m", "0", "-a", "3", "--force", "--quiet", "--potfile-disable",
             "--backend-vector-width", "1", digest, "?l" * len(WORD)]
    env = {"HOME": home, "XDG_CACHE_HOME": os.path.join(home, "cache"),
           "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
    result, archive = run.record("hashcat", words, env)
    run.equal(result.stdout.splitlines(), [f"{digest}:{WORD}"], "the word")
    devices = Devices(run, run.judge(archive))
    seen = devices.check_times()
    run.equal(len(seen), len(devices.given), "work by call")
    counts = devices.counts()
    kernels = {name: n for name, (way, n, _) in counts.items() if way == "kernel"}
    run.expect(any(name.startswith("m00000") for name in kernels), f"kernels of MD5: {kernels}")
    run.expect(counts["write buffer"][2] > 0 and counts["read buffer"][2] > 0, "copies")
