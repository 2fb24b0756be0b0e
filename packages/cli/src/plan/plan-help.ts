/** What `libra plan --help` teaches, after the list of options. */
export const planHelp = `
What it does
  Packed windows all have the same number of tokens, but not the same attention work: causal attention
  costs the square of each document's length. Replicas that draw long documents are late, and everyone
  waits for the slowest. libra plan reads document lengths, packs them, and places each step's packed
  sequences so that all pools get equal work. Which sequences a step holds does not change.

Reading the table
  before, after  skew: time of the slowest ÷ mean time; 1.00 is perfect. "before" is arrival order.
  bound          no placement of the same sequences can be below this.
  pools          K × P: K pools of P replicas; a pool shares its attention work at run time, so bigger
                 pools even out longer documents, at the price of moving queries, keys and values.
  --pool-size auto  tries every divisor of dp on drawn steps and takes the smallest whose p95 is at most 1.02.
  If "after" stays above the bound, the placement is not perfect; if the bound itself is above 1.02, a
  single document outweighs a pool: raise --pool-size (or let
  auto choose it) or --micro-steps.

Tiles
  With --tiles each pool of each planned step also gets a table that says which worker (rank of the pool)
  computes which query rows × heads. --planner ulysses, allGather, ring, … show what other schemes would
  give on the same sequences; libra moves what light groups can take, cut to fit.
  workerSkew     busiest ÷ mean worker of a pool; with libra it stays within --tolerance and one row block.
  moved          work outside its home group; "least" is what perfect balance cannot do without. A larger
                 --tolerance moves less; auto takes the tolerance whose predicted time is least.
  not hidden     time of the exchange that attention does not cover: try --hops 2, more --chunks, or a
                 smaller pool.
  One line a worker: load, tiles, rows × heads held, bytes in and out by link, foreign sequences, peers,
  predicted attention time. --heads are those of one tensor-parallel rank. --trace then draws predicted
  time, one lane for each rank and stream; --tiles-out writes files that decodePlan of @libra/scheduler
  reads: JSON header, then little-endian int32 and float64 columns.

LENGTHS
  One or more files or folders: Megatron .idx, Parquet, Arrow or Feather, a save_to_disk folder, MosaicML
  MDS, .npy, .npz, ragged stores, dolma parts, WebDataset tars, JSONL, CSV, text, nanoGPT .bin. The format
  is told by content; only what tells lengths is read. Pickles are refused.

Examples
  libra plan corpus.idx --window 128K --dp 64 --micro-steps 4
      how even a run would be, before and after
  libra plan train-*.parquet --column num_tokens --window 1M --dp 16 --pool-size 8 --out plan.bin
      a plan file for examples/pytorch (numpy maps it without parsing)
  libra plan lengths.npy --window 8192 --dp 8 --steps 4 --out - | head -3
      look at a plan as JSON, one step a line
  libra plan lengths.npy --window 8192 --dp 8 --trace trace.json
      see who waits for whom: one lane for each rank
  libra plan corpus.idx --window 256K --dp 16 --pool-size 8 --cp 8 --steps 2 --tiles --hops 2
      who computes what; the same with --planner ulysses shows what that is worth
  libra plan corpus.idx --window 256K --dp 8 --pool-size 8 --cp 8 --steps 1 --tiles --tiles-out plans/
      a column file for each pool
  libra plan --megatron-cache cache/ --dp 32 --micro-steps 4 --dry-run
      what an unmodified Megatron would gain; without --dry-run the cache is rewritten
`;
