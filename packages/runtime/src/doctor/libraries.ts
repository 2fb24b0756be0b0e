import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type FoundLibrary, findLibrary, type SearchPlaces } from "./find-library.js";

/** Software of clusters and GPUs as it lies on this machine; none of it is loaded. */
export interface Software {
  readonly cudaDriver: FoundLibrary;
  readonly nccl: FoundLibrary;
  readonly cudnn: FoundLibrary;
  readonly cublasLt: FoundLibrary;
  readonly mpi: FoundLibrary;
  /** Path of the program that starts MPI processes. */
  readonly mpirun: string | undefined;
}

const wanted = {
  cudaDriver: {
    ...{ name: "CUDA driver", variable: "LIBRA_CUDA_DRIVER" },
    ...{ sonames: ["libcuda.so.1"], wheels: [] },
  },
  nccl: {
    ...{ name: "NCCL", variable: "LIBRA_NCCL" },
    ...{ sonames: ["libnccl.so.2"], wheels: ["nvidia/nccl/lib"] },
  },
  cudnn: {
    ...{ name: "cuDNN", variable: "LIBRA_CUDNN" },
    ...{ sonames: ["libcudnn.so.9"], wheels: ["nvidia/cudnn/lib"] },
  },
  cublasLt: {
    ...{ name: "cuBLASLt", variable: "LIBRA_CUBLASLT" },
    sonames: ["libcublasLt.so.13", "libcublasLt.so.12"],
    wheels: ["nvidia/cu13/lib", "nvidia/cublas/lib"],
  },
  mpi: {
    ...{ name: "MPI", variable: "LIBRA_MPI" },
    ...{ sonames: ["libmpi.so.40", "libmpi.so.12", "libmpi.so"], wheels: [] },
  },
};

/** Looks for everything that Libra could load at run time. */
export function findSoftware(places: SearchPlaces): Software {
  return {
    cudaDriver: findLibrary(wanted.cudaDriver, places),
    nccl: findLibrary(wanted.nccl, places),
    cudnn: findLibrary(wanted.cudnn, places),
    cublasLt: findLibrary(wanted.cublasLt, places),
    mpi: findLibrary(wanted.mpi, places),
    mpirun: onPath("mpirun", places.environment) ?? onPath("mpiexec", places.environment),
  };
}

/** A program's path, as a shell would find it. */
export function onPath(
  program: string,
  environment: SearchPlaces["environment"],
): string | undefined {
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
