import { LibraError } from "@libra/base";
import { parseDoctorArguments, usage } from "./arguments.js";
import { describe } from "./describe.js";
import { examine } from "./examine.js";
import { SystemFiles } from "./system-files.js";

/** Where the command speaks, and what it looks at. */
export interface DoctorOptions {
  /** Results. */
  readonly print?: (line: string) => void;
  /** Errors. */
  readonly printError?: (text: string) => void;
  /** State of packages that the caller knows about: `{ "@libra/trainer": "loads" }`. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder that stands for `/` in /proc, /sys and the libraries' folders. */
  readonly root?: string;
  /** What `ldconfig -p` prints; default: it is run. */
  readonly loaderCache?: string;
}

/**
 * `libra doctor`: what this machine has, what Libra will use, and what is wrong.
 *
 * @param argv - the words after `doctor`
 * @returns exit code: 0 when Libra can run, 1 when it cannot, 2 after wrong usage
 */
export async function runDoctor(
  argv: readonly string[],
  options: DoctorOptions = {},
): Promise<number> {
  const { print = console.log, printError = console.error, packages = {} } = options;
  const { environment = process.env, root, loaderCache } = options;
  try {
    const { help, json, quick } = parseDoctorArguments(argv);
    if (help) {
      print(usage);
      return 0;
    }
    const examination = examine({
      ...{ files: new SystemFiles(root), environment, loaderCache },
      measure: !quick,
    });
    if (json) print(JSON.stringify({ ...examination, packages }));
    else for (const line of describe(examination, packages)) print(line);
    return examination.ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof LibraError)) throw error;
    printError(`libra doctor: ${error.message}`);
    return 2;
  }
}
