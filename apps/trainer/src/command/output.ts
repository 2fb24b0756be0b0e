import { join } from "node:path";
import cliProgress from "cli-progress";
import pino from "pino";
import type { LoadReport } from "../data/load-corpus.js";
import { makeFolder } from "../files/make-folder.js";

/** Where a command speaks: the terminal, and the run's log. */
export interface Output extends LoadReport {
  close(): void;
}

/**
 * @param runFolder - gets log.jsonl, one line per message
 * @param print - receives each line for people
 */
export function openOutput(runFolder: string, print: (line: string) => void): Output {
  makeFolder(runFolder);
  const destination = pino.destination({ dest: join(runFolder, "log.jsonl"), sync: true });
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const bar = new cliProgress.SingleBar({
    format: "tokenising {bar} {value}/{total} documents",
    clearOnComplete: true,
  });
  let started = false;
  return {
    line(text) {
      print(text);
      log.info(text);
    },
    progress(done, total) {
      // The bar writes to stderr and only when that is a terminal.
      if (!started) bar.start(total, 0);
      started = true;
      bar.update(done);
      if (done === total) bar.stop();
    },
    close() {
      bar.stop();
      destination.flushSync();
      destination.end();
    },
  };
}
