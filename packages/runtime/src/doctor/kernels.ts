import type { Binding } from "../native/binding.js";

/** Which kernels run here. */
export interface KernelChoice {
  /** Sets that this machine can run, widest first. */
  readonly available: readonly string[];
  /** `undefined` when LIBRA_ISA names one that it cannot. */
  readonly chosen: string | undefined;
  /** LIBRA_ISA, where set. */
  readonly override: string | undefined;
  /** How bfloat16 products are formed: pairs in one instruction, or as float32. */
  readonly bfloat16: "dot" | "convert" | undefined;
  /** LIBRA_BF16, where set. */
  readonly bfloat16Override: string | undefined;
}

/** @param environment - that the process was started with: the kernels are chosen once */
export function chooseKernels(
  native: Pick<Binding, "instructionSets" | "bfloat16Products">,
  environment: Readonly<Record<string, string | undefined>>,
): KernelChoice {
  const available = native.instructionSets().split(" ");
  const override = environment.LIBRA_ISA || undefined;
  const chosen = override === undefined ? available[0] : available.find((set) => set === override);
  const products = chosen === undefined ? undefined : native.bfloat16Products(chosen);
  return {
    ...{ available, chosen, override },
    bfloat16: products === "dot" || products === "convert" ? products : undefined,
    bfloat16Override: environment.LIBRA_BF16 || undefined,
  };
}
