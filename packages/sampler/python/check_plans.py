"""Checks what make-plans.mjs wrote with torch, accelerate and NumPy: python check_plans.py FOLDER."""

import json
import sys
import traceback
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "pytorch"))
from libra_plan import FILLER, LibraBatchSampler, Plan  # noqa: E402
from packed_dataset import IGNORED, DocumentPieces, pack  # noqa: E402
from write_corpus import EOD, WINDOW, document  # noqa: E402

folder = Path(sys.argv[1])
lengths = np.load(folder / "lengths.npy")
tokens = np.memmap(folder / "tokens.u16", dtype="<u2", mode="r")
data = DocumentPieces(tokens, lengths)
PLANS = ["drop", "fill", "torch", "whole"]


def load(sampler, workers):
    return list(DataLoader(data, batch_sampler=sampler, collate_fn=pack, num_workers=workers))


def pieces_of(plan):
    return [piece for step in plan for slot in range(plan.slots) for piece in step.segments(slot)]


def check_binary_equals_ndjson():
    for name in PLANS:
        plan = Plan(folder / f"{name}.bin")
        header, *steps = map(json.loads, (folder / f"{name}.ndjson").read_text().splitlines())
        assert header["fingerprint"] == plan.fingerprint and len(steps) == len(plan)
        for record, step in zip(steps, plan):
            assert (record["epoch"], record["step"]) == (step.epoch, step.step)
            sequence = [FILLER if index < 0 else index for index in record["sequence"]]
            assert sequence == step.sequence.tolist() and record["weight"] == step.weight.tolist()
            assert record["segmentOffsets"] == step.offsets.tolist()
            assert record["segmentDocument"] == step.document.tolist()
            assert record["segmentStart"] == step.start.tolist()
            assert record["segmentLength"] == step.length.tolist()


def check_every_token_once():
    for name in ["fill", "whole"]:
        seen = np.zeros(len(tokens), dtype=np.int8)
        for index, start, length in pieces_of(Plan(folder / f"{name}.bin")):
            first = int(data.starts[index]) + start
            seen[first : first + length] += 1
        assert (seen == 1).all(), name


def check_loader(workers):
    for name in PLANS:
        plan = Plan(folder / f"{name}.bin")
        replicas = [load(LibraBatchSampler(plan, replica), workers) for replica in range(plan.dp)]
        for index, step in enumerate(plan):
            for slot in range(plan.slots):
                micro_step, replica = divmod(slot, plan.dp)
                batch = replicas[replica][index * plan.micro_steps + micro_step]
                pieces = step.segments(slot)
                wanted = [document(d, lengths[d])[s : s + n] for d, s, n in pieces]
                flat = np.concatenate(wanted) if wanted else np.zeros(0)
                assert np.array_equal(batch["tokens"].numpy(), flat)
                assert batch["weight"] == step.weight[slot] and len(batch["tokens"]) <= plan.window
                assert batch["cu_seqlens"].diff().tolist() == [n for _, _, n in pieces]
                assert int((batch["targets"] != IGNORED).sum()) == sum(n - 1 for _, _, n in pieces)


def check_resume(workers):
    plan = Plan(folder / "drop.bin")
    whole = load(LibraBatchSampler(plan, 1), workers)
    for consumed in [0, 1, len(plan) // 2, len(plan)]:
        rest = load(LibraBatchSampler(plan, 1, consumed_steps=consumed), workers)
        expected = whole[consumed * plan.micro_steps :]
        assert len(rest) == len(expected) == len(LibraBatchSampler(plan, 1, consumed_steps=consumed))
        for one, other in zip(rest, expected):
            assert torch.equal(one["tokens"], other["tokens"])


def check_elastic_resume():
    uninterrupted = Plan(folder / "fill.bin")
    parts = [Plan(folder / "before.bin"), Plan(folder / "after.bin")]
    assert [plan.dp for plan in parts] == [4, 2]
    both = sorted(piece for plan in parts for piece in pieces_of(plan))
    assert both == sorted(pieces_of(uninterrupted))


def check_accelerate():
    from accelerate.data_loader import BatchSamplerShard, prepare_data_loader

    plan = Plan(folder / "drop.bin")
    for items in ["segments", "sequence"]:
        for replica in range(plan.dp):
            whole = LibraBatchSampler(plan, items=items)
            shard = BatchSamplerShard(whole, plan.dp, replica, even_batches=False)
            assert list(shard) == list(LibraBatchSampler(plan, replica, items))
    loader = DataLoader(data, batch_sampler=LibraBatchSampler(plan), collate_fn=pack)
    prepared = prepare_data_loader(
        loader, num_processes=4, process_index=2, put_on_device=False, even_batches=False
    )
    for one, other in zip(prepared, load(LibraBatchSampler(plan, 2), 0), strict=True):
        assert torch.equal(one["tokens"], other["tokens"])


def check_torch_orders():
    written = json.loads((folder / "orders.json").read_text())
    for case in written["orders"]:
        generator = torch.Generator().manual_seed(case["seed"])
        assert torch.randperm(case["count"], generator=generator).tolist() == case["order"]
    for case in written["distributed"]:
        for rank, order in enumerate(case["ranks"]):
            sampler = DistributedSampler(
                range(case["count"]), case["replicas"], rank, True, case["seed"], case["dropLast"]
            )
            sampler.set_epoch(case["epoch"])
            assert list(sampler) == order


class CachedGptDataset:
    """Reads a sample as Megatron's GPTDataset does, from the cache's arrays and the .bin file."""

    def __init__(self, shuffle):
        (prefix,) = (str(path)[: -len("description.txt")] for path in folder.glob("cache/*description.txt"))
        self.documents = np.load(f"{prefix}document_index.npy", mmap_mode="r")
        self.samples = np.load(f"{prefix}sample_index.npy", mmap_mode="r")
        self.shuffle = np.load(shuffle or f"{prefix}shuffle_index.npy", mmap_mode="r")

    def __len__(self):
        return len(self.shuffle)

    def __getitem__(self, index):
        sample = self.shuffle[index]
        (first, start), (last, end) = self.samples[sample], self.samples[sample + 1]
        parts = []
        for entry in range(first, last + 1):
            which = self.documents[entry]
            until = end + 1 if entry == last else lengths[which]
            begin = data.starts[which]
            parts.append(tokens[begin + (start if entry == first else 0) : begin + until])
        return np.concatenate(parts)


def check_megatron():
    report = json.loads((folder / "rewrite.json").read_text())
    old, new = CachedGptDataset(folder / "cache/original.npy"), CachedGptDataset(None)
    assert new.shuffle.dtype == np.uint32 and len(old) == len(new) == report["samples"]
    batch = report["globalBatch"]
    skews = []
    for first in range(0, report["batches"] * batch, batch):
        part = slice(first, first + batch)
        assert sorted(old.shuffle[part]) == sorted(new.shuffle[part])
        # MegatronPretrainingSampler: rank r reads micro_batch samples of each dp * micro_batch.
        ranks = np.arange(batch).reshape(-1, 4, 2).transpose(1, 0, 2).reshape(4, -1)
        work = np.array([sum(pairs(new[first + i]) for i in rank) for rank in ranks])
        pools = work.reshape(2, 2).sum(axis=1)
        skews.append(pools.max() / pools.mean())
    assert np.array_equal(old.shuffle[report["batches"] * batch :], new.shuffle[report["batches"] * batch :])
    for index in range(len(new)):
        where = int(np.flatnonzero(old.shuffle == new.shuffle[index])[0])
        assert len(new[index]) == WINDOW + 1 and np.array_equal(new[index], old[where])
    assert abs(np.mean(skews) - report["after"]["mean"]) < 1e-9
    assert report["after"]["mean"] < report["before"]["mean"]


def pairs(sample):
    """Causal pairs of a sample's inputs, documents told by their end token as reset_attention_mask does."""
    ends = np.flatnonzero(sample[:-1] == EOD) + 1
    sizes = np.diff(np.concatenate([[0], ends, [WINDOW]]))
    return int((sizes * (sizes + 1) // 2).sum())


CHECKS = [
    check_binary_equals_ndjson,
    check_every_token_once,
    lambda: check_loader(0),
    lambda: check_loader(2),
    lambda: check_resume(0),
    lambda: check_resume(2),
    check_elastic_resume,
    check_accelerate,
    check_torch_orders,
    check_megatron,
]

if __name__ == "__main__":
    failed = 0
    for check in CHECKS:
        try:
            check()
        except Exception:
            failed += 1
            traceback.print_exc()
    print(f"plans: {len(CHECKS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
