"""A training loop's data side: python train.py plan.bin tokens.u16 lengths.npy [--replica R] [--consumed N].

Prints what each micro-step would train on; put your model where the comment is.
"""

import argparse

import numpy as np
import torch
from libra_plan import LibraBatchSampler, Plan
from packed_dataset import IGNORED, DocumentPieces, pack


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plan")
    parser.add_argument("tokens", help="uint16 tokens of all documents, end to end")
    parser.add_argument("lengths", help="the .npy that was planned")
    parser.add_argument("--replica", type=int, default=0, help="this rank's data-parallel index")
    parser.add_argument("--consumed", type=int, default=0, help="optimizer steps already taken")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()

    plan = Plan(arguments.plan)
    data = DocumentPieces(np.memmap(arguments.tokens, dtype="<u2", mode="r"), np.load(arguments.lengths))
    sampler = LibraBatchSampler(plan, replica=arguments.replica, consumed_steps=arguments.consumed)
    loader = torch.utils.data.DataLoader(
        data, batch_sampler=sampler, collate_fn=pack, num_workers=arguments.workers
    )
    for index, batch in enumerate(loader):
        step, micro_step = divmod(index, plan.micro_steps)
        targets = int((batch["targets"] != IGNORED).sum())
        # Forward and backward go here. Sum the loss over targets, and divide once a step by the targets of
        # the whole global batch: micro-steps and ranks have different numbers of them.
        print(
            f"step {arguments.consumed + step} micro-step {micro_step}: {len(batch['tokens'])} tokens, "
            f"{len(batch['cu_seqlens']) - 1} documents, {targets} targets, weight {batch['weight']}"
        )


if __name__ == "__main__":
    main()
