/** What `libra simulate --help` teaches, after the list of options. */
export const simulateHelp = `
What it does
  Reads document lengths, runs the real planners, and simulates training steps on a modelled cluster:
  compute, links, chunks of the exchange, pipeline, reductions, memory. Every strategy is shown at the
  best of the settings that were tried, so that the comparison is fair; the last lines say what to run
  and why, also when plain packing or P = 1 (placement alone, no exchange between replicas) is enough.

Reading the table
  MFU         model FLOPs over the devices' published peak; strategies that delay documents (wlb) have
              steps of their own, so compare this, not seconds
  speed       MFU over that of ulysses, which is plain packing in arrival order
  waits       share of the step in which ranks wait for slower ones: of their pool, of other pools
  exchange    share of the step in which bytes move and nothing is computed
  skew        largest ÷ mean attention work of a rank in the worst micro-step
  peers       most ranks that one rank exchanges with
  memory      bytes of the fullest rank; ! where they do not fit
  The table of shorter windows says where Libra begins to bring nothing: 1.00 × is no gain.

Clusters of your own
  --cluster my.yaml with base: h100-ib and what differs, or everything: ranksPerNode, cardsPerNode,
  peakTflops, memoryGB, memoryBandwidthGBs, links (self, sameNode, sameRack, farther: each
  latencyMicroseconds and bandwidthGBs), attention (forwardTflops and backwardTflops, or profile: a file
  of libra calibrate). Optional: rowBandwidthGBs (norms, activations and loss take time of their own) and
  copies: compute (ranks of one host, whose copies hide behind nothing); libra calibrate --cluster writes
  such a file for this machine. --model likewise.

Examples
  libra simulate --lengths corpus.idx --model qwen3-8b --cluster h100-ib --gpus 256 --window 256K --cp 8
      what would each strategy give, and which pool size?
  libra simulate --stand-in --gpus 128 --window 128K --cp 4,8,16 --global-batch 64 --strategies ulysses,libra
      which cp?
  libra simulate --stand-in --gpus 64,256,1024 --window 256K --cp 8 --pools 8 --no-windows --json > s.json
      how does it scale? Then: libra report s.json
`;
