import { parseArgs } from "node:util";
import { LibraError, wrongOption } from "@libra/base";

/** What `libra doctor` was asked for. */
export interface DoctorArguments {
  readonly help: boolean;
  readonly json: boolean;
  readonly quick: boolean;
}

const options = {
  help: { type: "boolean", short: "h", default: false },
  json: { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
} as const;

export const usage = `Usage: libra doctor [options]

Says what this machine has and what Libra will use: processor, instruction sets, cores and their limits,
caches, memory, the native part, MPI, CUDA and its libraries, the launcher's variables, and what the
processor and its memory reach now. Ends with what is wrong and what to do about it.

      --json     print everything as one line of JSON
      --quick    measure nothing
  -h, --help     print this

Exit codes: 0 Libra can run; 1 it cannot, and what to do was printed; 2 wrong usage.

Environment
  LIBRA_ISA=base|avx2|avx512   kernels of an older instruction set than the newest (arm64 has one)
  LIBRA_BF16=convert           bfloat16 products as float32, though the processor has better ones
  LIBRA_NATIVE=FILE            the addon to load, in place of the one found
  LIBRA_CUDA_DRIVER, LIBRA_NCCL, LIBRA_CUDNN, LIBRA_CUBLASLT, LIBRA_MPI=FILE
                               the library, in place of a search`;

/** @throws LibraError `ARGUMENT` for words that are no options of the doctor's */
export function parseDoctorArguments(argv: readonly string[]): DoctorArguments {
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (cause) {
    const message = wrongOption(cause, Object.keys(options), "libra doctor");
    throw new LibraError("ARGUMENT", message, { cause });
  }
}
