# SPDX-License-Identifier: BSD-3-Clause
"""Rules about files: the life of a handle, and of the operations on it."""

from judge.otf2_read import UNDEFINED64

PRE_CREATED, NON_BLOCKING = 1, 1


class Operation:
    """One that is under way."""

    __slots__ = ("label", "asked", "is_background", "is_issued")

    def __init__(self, label, flags, asked):
        self.label, self.asked = label, asked
        self.is_background, self.is_issued = bool(flags & NON_BLOCKING), False


class FileRules:
    """
    Collects the records of all locations; finish() judges them process by process, by time: any
    thread uses a handle.
    """

    def __init__(self, archive, verdict, allow_unfinished):
        self.verdict, self.allow_unfinished = verdict, allow_unfinished
        self.logs = {}  # (process, handle) -> [(time, place among all, label, record, values)]
        self.seen = 0
        self.pre_created = {number for number, (_, values) in archive.spaces["IoHandle"].items()
                            if values["ioHandleFlags"] & PRE_CREATED}
        self.handlers = {name: self._noter(name) for name in (
            "IoCreateHandle", "IoDestroyHandle", "IoSeek", "IoChangeStatusFlags",
            "IoOperationBegin", "IoOperationTest", "IoOperationIssued", "IoOperationComplete",
            "IoOperationCancelled")}
        self.handlers["IoDuplicateHandle"] = self._duplicate

    def _duplicate(self, stream, time, values):
        """The old handle is used, and the new one is open from now on."""
        old, new, status = values
        self._noter("IoDuplicateHandle")(stream, time, (old, status))
        self._noter("IoCreateHandle")(stream, time, (new, status))

    def _noter(self, name):
        def note(stream, time, values):
            self.seen += 1
            self.logs.setdefault((stream.process, values[0]), []).append(
                (time, self.seen, f"{stream.label} #{stream.index}: {name}", name, values[1:]))

        return note

    def finish(self):
        for (_, handle), log in self.logs.items():
            self._judge(handle, sorted(log))

    def _judge(self, handle, log):
        is_open, under_way = handle in self.pre_created, {}
        for _, _, label, name, values in log:
            if is_open == (name == "IoCreateHandle"):
                self.verdict.fault("files", f"{label} of handle {handle}, which is"
                                            f" {'open' if is_open else 'not open'}")
            if name in ("IoCreateHandle", "IoDestroyHandle"):
                is_open = name == "IoCreateHandle"
            elif name == "IoOperationBegin":
                _, flags, asked, number = values
                if number in under_way:
                    self.verdict.fault("files", f"{label}: operation {number} is under way")
                under_way[number] = Operation(label, flags, asked)
            elif name.startswith("IoOperation"):
                self._go_on(label, name, values, under_way)
        if not self.allow_unfinished:
            for number, operation in under_way.items():
                self.verdict.fault("files", f"{operation.label}: operation {number} never ends")

    def _go_on(self, label, name, values, under_way):
        operation = under_way.get(values[-1])
        if operation is None:
            self.verdict.fault("files", f"{label} of operation {values[-1]}, which has not begun")
        elif name == "IoOperationIssued":
            if operation.is_issued or not operation.is_background:
                self.verdict.fault("files", f"{label} of operation {values[-1]}, which blocks or"
                                            " was issued")
            operation.is_issued = True
        elif name == "IoOperationTest":
            if not operation.is_issued:
                self.verdict.fault("files", f"{label} of operation {values[-1]}, not issued")
        else:
            done = values[0] if name == "IoOperationComplete" else 0
            if done != UNDEFINED64 and done > operation.asked:
                self.verdict.fault("files", f"{label}: {done} bytes of {operation.asked}")
            if name == "IoOperationComplete" and operation.is_background > operation.is_issued:
                self.verdict.fault("files", f"{label} of operation {values[-1]}, not issued")
            del under_way[values[-1]]
