import { launchLocal } from "@libra/runtime";
import { expect, it } from "vitest";
import { agree } from "../../src/train/agree.js";

const compare = (hashes: string[]) =>
  launchLocal(hashes.length, (rank) =>
    agree(rank.world, rank.device, rank.stream("compute"), hashes[rank.rank]!, "step plans"),
  );

it("ranks with equal hashes go on", async () => {
  await compare(["00ff00ff00ff00ff", "00ff00ff00ff00ff"]);
});

it("ranks with different hashes stop, named", async () => {
  await expect(
    compare(["ffffffffffffffff", "ffffffffffffffff", "0fffffffffffffff", "fffffffffffffff0"]),
  ).rejects.toThrow(/Ranks computed different step plans: ranks 2, 3 differ from rank 0/);
});
