import { Presets, SingleBar } from "cli-progress";
import type { Io } from "../io.js";

/** A progress bar that only appears when work takes long and a terminal shows it. */
export interface Progress {
  update(value: number, total: number | undefined): void;
  stop(): void;
}

const patience = 500;

/**
 * @param label - what is counted: "documents"
 */
export function progressOf(label: string, io: Io): Progress {
  const began = performance.now();
  let bar: SingleBar | undefined;
  return {
    update(value, total) {
      if (!io.terminal || performance.now() - began < patience) return;
      if (bar === undefined) {
        const format =
          total === undefined
            ? `${label} {value}`
            : `${label} {bar} {percentage}% {value}/{total}, {eta_formatted} left`;
        bar = new SingleBar({ format, clearOnComplete: true }, Presets.shades_classic);
        bar.start(total ?? value, value);
      }
      bar.update(value);
    },
    stop() {
      bar?.stop();
    },
  };
}
