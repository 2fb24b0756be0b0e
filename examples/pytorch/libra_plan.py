"""Reads a plan file that `libra plan --out plan.bin` wrote, and feeds PyTorch's DataLoader with it.

NumPy is all that reading needs; the file is mapped, so that workers share it and a step costs no parsing.
The layout is described at `writePlanBinary` of @libra/sampler.
"""

from dataclasses import dataclass

import numpy as np

FILLER = 0xFFFFFFFF
_HEADER_WORDS = 32


@dataclass(frozen=True)
class Step:
    """One optimizer step. Slot = micro-step * dp + replica."""

    epoch: int
    step: int
    sequence: np.ndarray  # slot -> index of the packed sequence, FILLER for a filler
    weight: np.ndarray  # slot -> 1, or 0 for a filler: leave it out of loss and token count
    offsets: np.ndarray  # slots + 1 offsets into the three columns below
    document: np.ndarray  # index into the lengths that were planned
    start: np.ndarray  # first token of the segment inside its document
    length: np.ndarray  # tokens of the segment

    def segments(self, slot):
        """The slot's packed sequence: a list of (document, start, length)."""
        part = slice(int(self.offsets[slot]), int(self.offsets[slot + 1]))
        columns = (self.document[part], self.start[part], self.length[part])
        return list(zip(*(column.tolist() for column in columns)))


class Plan:
    """A plan file. `len(plan)` steps; `plan[i]` is a Step."""

    def __init__(self, path):
        self.path = str(path)
        words = np.memmap(self.path, dtype="<u4", mode="r")
        if words[:2].tobytes() != b"LIBRAPLN" or words[2] != 1 or words[3] != _HEADER_WORDS:
            raise ValueError(f"{self.path}: not a Libra plan of version 1")
        self.steps, self.slots, self.dp, self.micro_steps, self.pool_size, self.window = (
            int(word) for word in words[4:10]
        )
        self.sync = ("step", "microStep", "pipeline")[words[10]]
        self.alignment = int(words[11])
        table = int(words[12]) + (int(words[13]) << 32)
        if table + 2 * self.steps != len(words):
            raise ValueError(f"{self.path}: cut or damaged: {len(words)} words")
        self.fingerprint = f"{int(words[15]):08x}{int(words[14]):08x}"
        halves = words[table:].astype(np.uint64).reshape(-1, 2)
        self._starts = halves[:, 0] + (halves[:, 1] << np.uint64(32))
        self._words = words

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        if not 0 <= index < self.steps:
            raise IndexError(f"step {index} of {self.steps}")
        at = int(self._starts[index])
        epoch, step, segments = (int(word) for word in self._words[at : at + 3])
        sizes = [self.slots, self.slots, self.slots + 1, segments, segments, segments]
        ends = np.cumsum(sizes) + at + 4
        columns = [self._words[end - size : end] for size, end in zip(sizes, ends)]
        return Step(epoch, step, *columns)

    # Workers started by spawn map the file again instead of copying it.
    def __reduce__(self):
        return Plan, (self.path,)


class LibraBatchSampler:
    """Batches for `DataLoader(batch_sampler=...)`: one batch is one packed sequence.

    - `replica=None` (global): all slots in order, micro-step by micro-step. This is what accelerate wants:
      its BatchSamplerShard gives batch i to process i modulo dp, which is the slot's replica.
    - `replica=r` (per rank): that replica's packed sequence of each micro-step. Ranks that share a
      sequence (tensor or context parallel) pass the same replica.

    `items="segments"` yields (document, start, length) triples, one for each piece of a document, for a
    data set of documents; a filler is an empty batch. `items="sequence"` yields the packed sequence's index,
    for a data set that is packed already; a filler is -1.

    Resume with `consumed_steps`, the number of optimizer steps already taken: nothing else is needed.
    """

    def __init__(self, plan, replica=None, items="segments", consumed_steps=0):
        if items not in ("segments", "sequence"):
            raise ValueError(f"items is {items!r}: take 'segments' or 'sequence'")
        if replica is not None and not 0 <= replica < plan.dp:
            raise ValueError(f"replica {replica} of a plan with dp {plan.dp}")
        if not 0 <= consumed_steps <= len(plan):
            raise ValueError(f"{consumed_steps} consumed steps of a plan with {len(plan)}")
        self.plan, self.replica, self.items = plan, replica, items
        self.consumed_steps = consumed_steps

    def __iter__(self):
        dp, slots = self.plan.dp, self.plan.slots
        mine = range(slots) if self.replica is None else range(self.replica, slots, dp)
        for index in range(self.consumed_steps, len(self.plan)):
            step = self.plan[index]
            for slot in mine:
                if self.items == "segments":
                    yield step.segments(slot)
                else:
                    sequence = int(step.sequence[slot])
                    yield [-1 if sequence == FILLER else sequence]

    def __len__(self):
        per_step = self.plan.slots if self.replica is None else self.plan.micro_steps
        return (len(self.plan) - self.consumed_steps) * per_step
