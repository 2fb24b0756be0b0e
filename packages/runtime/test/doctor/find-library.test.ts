import { describe, expect, it } from "vitest";
import { findLibrary } from "../../src/doctor/find-library.js";
import { findSoftware } from "../../src/doctor/libraries.js";
import { SystemFiles } from "../../src/doctor/system-files.js";
import { fakeMachine } from "./fake-machine.js";

const nccl = {
  name: "NCCL",
  sonames: ["libnccl.so.2"],
  variable: "LIBRA_NCCL",
  wheels: ["nvidia/nccl/lib"],
};
const root = fakeMachine(
  {
    "/opt/own/libmine.so": "",
    "/opt/first/libnccl.so.2.28.9": "",
    "/usr/lib/libnccl.so.2": "",
    "/venv/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2": "",
  },
  { "/opt/first/libnccl.so.2": "libnccl.so.2.28.9" },
);
const find = (environment: Record<string, string>, loaderCache = "", folder = root) =>
  findLibrary(nccl, { files: new SystemFiles(folder), environment, loaderCache });

describe("findLibrary", () => {
  it("takes the explicit variable before all else", () => {
    const environment = { LIBRA_NCCL: "/opt/own/libmine.so", LD_LIBRARY_PATH: "/opt/first" };
    expect(find(environment)).toMatchObject({ path: "/opt/own/libmine.so", by: "LIBRA_NCCL" });
  });

  it("searches no further when the variable names a file that is not there", () => {
    const found = find({ LIBRA_NCCL: "/opt/none.so", LD_LIBRARY_PATH: "/opt/first" });
    expect(found).toMatchObject({ path: undefined, mistaken: "/opt/none.so" });
    expect(found.looked).toEqual(["LIBRA_NCCL=/opt/none.so"]);
  });

  it("goes on with LD_LIBRARY_PATH and reads the version off the file's own name", () => {
    const found = find({ LD_LIBRARY_PATH: "/none:/opt/first" });
    expect(found).toMatchObject({ path: "/opt/first/libnccl.so.2", version: "2.28.9" });
  });

  it("then the loader's cache, the system's folders and the wheels", () => {
    const line = "\tlibnccl.so.2 (libc6,x86-64) => /cached/libnccl.so.2\n";
    expect(find({}, line)).toMatchObject({ path: "/cached/libnccl.so.2" });
    expect(find({})).toMatchObject({
      path: "/usr/lib/libnccl.so.2",
      by: "the system's folders",
      version: "2",
    });
    const wheel = "/venv/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2";
    const bare = fakeMachine({ [wheel]: "" });
    const found = find({ VIRTUAL_ENV: "/venv" }, "", bare);
    expect(found).toMatchObject({ path: wheel, by: "a Python wheel" });
    expect(find({ PYTHONPATH: "/venv/lib/python3.11/site-packages" }, "", bare).path).toBe(wheel);
  });

  it("says where it looked in vain, in order", () => {
    const { path, looked } = find({ LD_LIBRARY_PATH: "/a:/b" }, "", fakeMachine({}));
    expect(path).toBeUndefined();
    expect(looked.slice(0, 4)).toEqual([
      ...["LIBRA_NCCL (not set)", "LD_LIBRARY_PATH /a", "LD_LIBRARY_PATH /b"],
      "the loader's cache",
    ]);
    expect(looked.at(-1)).toContain("none has NVIDIA wheels");
  });
});

it("findSoftware prefers newer names and finds the starter of MPI on PATH", () => {
  const folder = fakeMachine({ "/l/libcublasLt.so.12": "", "/l/libcublasLt.so.13": "" });
  const environment = { LD_LIBRARY_PATH: "/l", PATH: "/nowhere" };
  const software = findSoftware({
    files: new SystemFiles(folder),
    ...{ environment, loaderCache: "" },
  });
  expect(software.cublasLt.path).toBe("/l/libcublasLt.so.13");
  expect(software.cudnn.path).toBeUndefined();
  expect(software.mpirun).toBeUndefined();
});
