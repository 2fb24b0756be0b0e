// Where Libra brings little or nothing: short windows, mild corpora, many micro-steps. Libra at its
// best pool size (1 included) over plain packing and over WLB-LLM, 64 H100.
import { clusterByName, gainByWindow, presetModel } from "@libra/simulator";
import { publishedCorpora, seed, standIn } from "./corpora.mjs";

const cases = [
  { title: "2 micro-steps", globalBatch: 16 },
  { title: "16 micro-steps", globalBatch: 128 },
];

/** Rows of the experiment; `log` gets one line per corpus and window. */
export async function whereNothing(log) {
  const { found, missing } = await publishedCorpora();
  for (const file of missing) log(`skipped: ${file} is not in the data folder`);
  const rows = [];
  for (const [corpus, lengths] of Object.entries({ standIn, ...found })) {
    for (const { title, globalBatch } of cases) {
      const gains = gainByWindow({
        model: presetModel("qwen3-8b"),
        cluster: clusterByName("h100-ib"),
        gpus: 64,
        cp: 8,
        window: 2 ** 17,
        globalBatch,
        lengths,
        seed,
        steps: 2,
        onProgress: (done, total, what) => {
          if (done === 0) log(`gain, ${corpus}, ${title}: ${total} simulations from ${what}`);
        },
      });
      for (const { window, dp, overPlain, overWlb, libra } of gains) {
        const experiment = `gain, ${corpus}, ${title}`;
        const add = (quantity, ours) =>
          rows.push({ experiment, window, dp, quantity, published: null, ours });
        add("speed-up of libra over ulysses", overPlain);
        add("speed-up of libra over wlb", overWlb);
        add("best pool size of libra", libra.settings.pool);
        log(
          `${experiment}: window ${window}, dp ${dp}: ${overPlain.toFixed(3)} × ulysses, ${overWlb.toFixed(3)} × wlb, P ${libra.settings.pool}`,
        );
      }
    }
  }
  return rows;
}
