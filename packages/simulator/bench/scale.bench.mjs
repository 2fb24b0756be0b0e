// Is one step of 32,768 GPUs simulated in 20 s and 4 GiB, and does a rank of a pool meet as many ranks
// at any size while one of DistCA's meets ever more?
//
//   npm run bench -- scale
//
// The last line is {seconds, peakGiB, limitSeconds, limitGiB, peers: [{dp, gpus, libra, distca}]}.
import { clusterByName, presetModel, simulate, standInLengths } from "@libra/simulator";

const lengths = standInLengths({ documents: 600_000, seed: 7 });
const base = {
  model: presetModel("qwen3-8b"),
  cluster: clusterByName("h100-ib"),
  cp: 8,
  window: 2 ** 18,
  lengths,
  steps: 1,
};
const libra = { strategy: "libra", settings: { pool: 8 } };

let peak = 0;
const watch = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const began = performance.now();
const largest = simulate({ ...base, ...libra, gpus: 32_768, onStep: watch });
const seconds = (performance.now() - began) / 1000;
// The kernel's own count of the most memory held; in KiB.
peak = Math.max(peak, process.resourceUsage().maxRSS * 1024);
console.log(
  `32,768 GPUs (dp 4096, cp 8, P 8): one step of ${largest.seconds.toFixed(2)} s simulated in ${seconds.toFixed(1)} s, ${(peak / 2 ** 30).toFixed(2)} GiB`,
);

const peers = [];
for (const dp of [8, 16, 32, 64, 128]) {
  const gpus = dp * base.cp;
  const pooled = simulate({ ...base, ...libra, gpus });
  const world = simulate({ ...base, gpus, strategy: "distca" });
  const row = {
    dp,
    gpus,
    libra: { most: pooled.mostPeers, mean: pooled.meanPeers },
    distca: { most: world.mostPeers, mean: world.meanPeers },
  };
  peers.push(row);
  console.log(
    `dp ${dp}: most ranks that one meets: libra ${row.libra.most}, distca ${row.distca.most}`,
  );
}
peers.push({
  dp: 4096,
  gpus: 32_768,
  libra: { most: largest.mostPeers, mean: largest.meanPeers },
  distca: null,
});
console.log(
  JSON.stringify({ seconds, peakGiB: peak / 2 ** 30, limitSeconds: 20, limitGiB: 4, peers }),
);
