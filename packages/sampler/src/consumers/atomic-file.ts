import { type FileHandle, link, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LibraError } from "@libra/base";

/** How outputs treat files that exist. */
export interface OutputOptions {
  /** Replace an existing file. Default false: an output that exists is an error. */
  overwrite?: boolean;
}

/**
 * A file that appears whole or not at all: it is written under another name beside its own, flushed
 * to the disk and renamed. Whatever fails before, a full disk for one, leaves an old file as it was.
 */
export class AtomicFile {
  readonly path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  readonly #overwrite: boolean;
  #written = 0;

  private constructor(path: string, temporary: string, handle: FileHandle, overwrite: boolean) {
    this.path = path;
    this.#temporary = temporary;
    this.#handle = handle;
    this.#overwrite = overwrite;
  }

  /** @throws LibraError `ARGUMENT` when the output exists or its folder cannot be written */
  static async create(path: string, options: OutputOptions = {}): Promise<AtomicFile> {
    const overwrite = options.overwrite ?? false;
    if (!overwrite && (await isThere(path))) throw existing(path);
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
    try {
      return new AtomicFile(path, temporary, await open(temporary, "w"), overwrite);
    } catch (error) {
      throw failed(path, "cannot be written there", error);
    }
  }

  /** Bytes written so far. */
  get written(): number {
    return this.#written;
  }

  /** Appends bytes, or puts them at `position`. */
  async write(bytes: Uint8Array, position?: number): Promise<void> {
    try {
      let done = 0;
      while (done < bytes.length) {
        const at = (position ?? this.#written) + done;
        done += (await this.#handle.write(bytes, done, bytes.length - done, at)).bytesWritten;
      }
    } catch (error) {
      throw failed(this.path, "could not be written; nothing was changed", error);
    }
    if (position === undefined) this.#written += bytes.length;
  }

  /** Brings what was written to the disk: after this, {@link commit} has only to rename. */
  async flush(): Promise<void> {
    try {
      await this.#handle.sync();
    } catch (error) {
      throw failed(this.path, "could not be written; nothing was changed", error);
    }
  }

  /** Flushes, then puts the file under its name. */
  async commit(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      if (this.#overwrite) await rename(this.#temporary, this.path);
      else await appear(this.#temporary, this.path);
    } catch (error) {
      await this.discard();
      if (error instanceof LibraError) throw error;
      throw failed(this.path, "could not be written; nothing was changed", error);
    }
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await unlink(this.#temporary).catch(() => {});
  }
}

/** Creates the file, lets `fill` write it, and commits; on any failure nothing is left behind. */
export async function writeAtomically<Result>(
  path: string,
  options: OutputOptions,
  fill: (file: AtomicFile) => Promise<Result>,
): Promise<Result> {
  const file = await AtomicFile.create(path, options);
  try {
    const result = await fill(file);
    await file.commit();
    return result;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

// A hard link fails where the name is taken, so that two writers cannot both think they were first.
async function appear(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw existing(path);
    // Some file systems have no hard links.
    if (await isThere(path)) throw existing(path);
    await rename(temporary, path);
    return;
  }
  await unlink(temporary);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function existing(path: string): LibraError {
  return new LibraError(
    "ARGUMENT",
    `${path}: the output exists; remove it, or overwrite it (--overwrite on the command line)`,
    {
      details: { path },
    },
  );
}

function failed(path: string, problem: string, cause: unknown): LibraError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code === "ENOSPC" ? "the disk is full" : (code ?? String(cause));
  return new LibraError("ENVIRONMENT", `${path}: the output ${problem}: ${reason}`, {
    cause,
    details: { path },
  });
}
