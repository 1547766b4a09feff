# SPDX-License-Identifier: BSD-3-Clause
"""Rules about calling contexts: their nesting, and how far up each unwind distance leads."""

from judge.otf2_read import UNDEFINED32 as UNDEFINED


class ContextRules:
    """What the definition of CallingContext in OTF2 says of a location's events."""

    def __init__(self, archive, verdict):
        self.verdict = verdict
        self.space = archive.spaces["CallingContext"]
        self.paths = {UNDEFINED: (UNDEFINED,)}
        self.handlers = {"CallingContextEnter": self.enter, "CallingContextLeave": self.leave,
                         "CallingContextSample": self.sample}

    def path(self, context):
        """From the context upwards, with the undefined one at the end."""
        new = []
        while context not in self.paths:
            new.append(context)
            context = self.space[context][1]["parent"] if context in self.space else UNDEFINED
        for one in reversed(new):
            self.paths[one] = (one, *self.paths[context])
            context = one
        return self.paths[context]

    def region(self, context):
        return self.space[context][1]["region"] if context in self.space else UNDEFINED

    def distance(self, stream, name, context, distance, is_enter):
        """The node that it leads to is in the previous context; below it some region goes on."""
        path, before = self.path(context), self.path(stream.context)
        label = f"{stream.label} #{stream.index}: {name} {context} after {stream.context}"
        if not 1 + is_enter <= distance <= len(path):
            self.verdict.fault("unwind distance", f"{label}: {distance}, the depth is"
                                                  f" {len(path) - 1}")
        elif distance < len(path):
            if path[distance] not in before:
                self.verdict.fault("unwind distance", f"{label}: {distance} leads to"
                                                      f" {path[distance]}, which was left")
            elif len(before) > 1 and self.region(path[distance - 1]) not in map(self.region,
                                                                                before):
                self.verdict.fault("unwind distance", f"{label}: what goes on was not there")
        if stream.contexts and stream.contexts[-1] not in self.path(context):
            top = stream.contexts[-1]
            siblings = {(self.region(node), self.path(node)[1]) for node in path[:-1]}
            if (self.region(top), self.path(top)[1]) not in siblings:
                self.verdict.fault("contexts", f"{label}: not below {top}, which is open")

    def enter(self, stream, _time, values):
        context, distance = values[:2]
        self.distance(stream, "enter", context, distance, True)
        region = self.region(context)
        stream.stack.append(region)
        stream.entered.append(stream.index)
        stream.regions[region] = stream.regions.get(region, 0) + 1
        stream.contexts.append(context)
        stream.context = context

    def leave(self, stream, _time, values):
        if not stream.contexts or stream.contexts[-1] != values[0]:
            self.verdict.fault("nesting", f"{stream.label} #{stream.index}: leave of context"
                                          f" {values[0]}, open are {stream.contexts[-4:]}")
        if stream.contexts:
            stream.contexts.pop()
            stream.stack.pop()
            stream.entered.pop()
        stream.context = self.path(values[0])[1]

    def sample(self, stream, _time, values):
        self.distance(stream, "sample", values[0], values[1], False)
        stream.context = values[0]
