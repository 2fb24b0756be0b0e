import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import type { SystemFiles } from "./system-files.js";

/** A library that Libra could load at run time, if it is there. */
export interface WantedLibrary {
  readonly name: string;
  /** Names that the loader knows it by, the preferred one first. */
  readonly sonames: readonly string[];
  /** Environment variable that names the file. */
  readonly variable: string;
  /** Folders of Python wheels that hold it, below site-packages. */
  readonly wheels: readonly string[];
}

/** Where a library was looked for, in order, and where it was found. */
export interface FoundLibrary {
  readonly name: string;
  readonly path: string | undefined;
  /** What led to it. */
  readonly by: string | undefined;
  /** From the file's own name, as in libnccl.so.2.28.9. */
  readonly version: string | undefined;
  readonly looked: readonly string[];
  /** The explicit variable names a file that is not there. */
  readonly mistaken: string | undefined;
}

/** Where to look. */
export interface SearchPlaces {
  readonly files: SystemFiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `ldconfig -p` prints; default: it is run. */
  readonly loaderCache?: string | undefined;
}

/** Ends the name of a variable that was looked at in vain. */
export const notSet = "(not set)";

const systemFolders = [
  ...["/usr/local/cuda/lib64", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"],
  ...["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu"],
];

/**
 * Looks for a library as a loader would: its explicit variable alone if that is set, else its names
 * in LD_LIBRARY_PATH, the loader's cache and the system's folders, else in Python's wheels. Nothing
 * is loaded.
 */
export function findLibrary(wanted: WantedLibrary, places: SearchPlaces): FoundLibrary {
  const { name, sonames, variable, wheels } = wanted;
  const { files, environment } = places;
  const looked: string[] = [];
  const found = (path: string, by: string): FoundLibrary => {
    const real = files.real(path) ?? path;
    const version = /\.so\.([\d.]+)$/.exec(basename(real))?.[1];
    return { name, path, by, version, looked, mistaken: undefined };
  };
  const none: FoundLibrary = {
    ...{ name, path: undefined, by: undefined, version: undefined, looked },
    mistaken: undefined,
  };

  const explicit = environment[variable];
  if (explicit !== undefined && explicit !== "") {
    looked.push(`${variable}=${explicit}`);
    if (files.real(explicit) !== undefined) return found(explicit, variable);
    return { ...none, mistaken: explicit };
  }
  looked.push(`${variable} ${notSet}`);
  const inFolders = (folders: readonly string[], by: string): FoundLibrary | undefined => {
    for (const soname of sonames) {
      for (const folder of folders) {
        if (files.real(`${folder}/${soname}`) !== undefined)
          return found(`${folder}/${soname}`, by);
      }
    }
    return undefined;
  };
  const listed = (environment.LD_LIBRARY_PATH ?? "").split(":").filter((folder) => folder !== "");
  looked.push(...listed.map((folder) => `LD_LIBRARY_PATH ${folder}`));
  const early = inFolders(listed, "LD_LIBRARY_PATH");
  if (early !== undefined) return early;

  looked.push("the loader's cache", ...systemFolders);
  const cache = places.loaderCache ?? readLoaderCache();
  for (const soname of sonames) {
    const line = cache.split("\n").find((text) => text.trim().startsWith(`${soname} (`));
    const path = line?.split(" => ")[1]?.trim();
    if (path !== undefined) return found(path, "the loader's cache");
  }
  const system = inFolders(systemFolders, "the system's folders");
  if (system !== undefined) return system;

  if (wheels.length === 0) return none;
  const packages = sitePackages(places);
  if (packages.length === 0) looked.push("Python's folders (none has NVIDIA wheels)");
  const folders = packages.flatMap((folder) => wheels.map((wheel) => `${folder}/${wheel}`));
  looked.push(...folders);
  return inFolders(folders, "a Python wheel") ?? none;
}

/** Folders that Python packages are installed in, the active environment's first. */
function sitePackages({ files, environment }: SearchPlaces): string[] {
  const { VIRTUAL_ENV, CONDA_PREFIX, HOME, PYTHONPATH = "" } = environment;
  const roots = [VIRTUAL_ENV, CONDA_PREFIX, HOME && `${HOME}/.local`, "/usr/local", "/usr"];
  const installed = roots.flatMap((root) => {
    if (root === undefined || root === "") return [];
    const versions = files.list(`${root}/lib`).filter((name) => /^python3/.test(name));
    return versions.flatMap((version) =>
      ["site-packages", "dist-packages"].map((kind) => `${root}/lib/${version}/${kind}`),
    );
  });
  const all = [...PYTHONPATH.split(":").filter((folder) => folder !== ""), ...installed];
  return all.filter((folder) => files.list(folder).includes("nvidia"));
}

let loaderCache: string | undefined;

function readLoaderCache(): string {
  loaderCache ??=
    spawnSync("ldconfig", ["-p"], {
      encoding: "utf8",
      timeout: 5000,
      env: { ...process.env, PATH: `${process.env.PATH ?? ""}:/sbin:/usr/sbin` },
    }).stdout ?? "";
  return loaderCache;
}
