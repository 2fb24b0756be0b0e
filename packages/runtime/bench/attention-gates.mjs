// What attention must reach at head dim 128: the share of the measured peak, and PyTorch's time
// over ours where PyTorch is there.
const both = ["forward", "forward+backward"];
const gates = [
  { dtype: "float32", passes: both, shape: "2048", threads: 1, share: 0.83, torchRatio: 2.4 },
  { dtype: "float32", passes: both, shape: "8192", threads: 1, share: 0.88, torchRatio: 2.4 },
  { dtype: "float32", passes: both, shape: "8192", threads: 2, share: 0.8, torchRatio: 2.2 },
  { dtype: "float32", passes: both, shape: "documents", threads: 1, share: 0.8 },
  {
    dtype: "bfloat16",
    passes: ["forward"],
    shape: "8192",
    threads: 1,
    share: 0.8,
    torchRatio: 4.5,
  },
  { dtype: "bfloat16", passes: ["backward"], shape: "8192", threads: 1, share: 0.65 },
];

/** The gates of a row: `{ measure, least, value, kept }` each; none where nothing was measured. */
export function gatesOf(row) {
  const shape = row.lengths === undefined ? String(row.length) : "documents";
  return gates
    .filter(
      (gate) =>
        gate.dtype === row.dtype &&
        gate.passes.includes(row.pass) &&
        gate.shape === shape &&
        gate.threads === row.threads,
    )
    .flatMap((gate) =>
      ["share", "torchRatio"].map((measure) => ({ measure, least: gate[measure] })),
    )
    .filter(({ measure, least }) => least !== undefined && row[measure] !== null)
    .map(({ measure, least }) => {
      const value = row[measure];
      return { measure, least, value, kept: value >= least };
    });
}
