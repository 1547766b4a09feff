# SPDX-License-Identifier: BSD-3-Clause
"""A small model that PyTorch trains. With the argument `profile` its own profiler counts the kernels."""

import sys
import time

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).cuda()
best = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(256, 512).cuda(), torch.randint(0, 10, (256,)).cuda()


def train():
    for _ in range(20):
        best.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        best.step()
    torch.cuda.synchronize()
    return loss.item()


train()
if sys.argv[1:] == ["profile"]:
    from torch.profiler import ProfilerActivity, profile
    begin = time.monotonic()
    with profile(activities=[ProfilerActivity.CUDA]) as told:
        train()
    took_us = (time.monotonic() - begin) * 1e6
    kernels = [event for event in told.events() if str(event.device_type).endswith("CUDA")]
    works = {}
    for event in kernels:
        works[event.name] = works.get(event.name, 0) + 1
    for name, n in sorted(works.items()):
        print(n, name)
    ranges = [event.time_range for event in kernels]
    outside = [(span.start, span.end) for span in ranges if not 0 <= span.start <= span.end <= took_us]
    print(len(outside), "outside of the profile")
    if outside:
        print("some are", outside[:3], "of", took_us, file=sys.stderr)
else:
    torch.cuda.nvtx.range_push("measured")
    print(round(train(), 4))
    torch.cuda.nvtx.range_pop()
