import type { Theme } from "@libra/report";
import { type Command, Option } from "commander";
import type { Io } from "../io.js";
import { writeOutput } from "../write-output.js";

interface ReportOptions {
  out?: string;
  svg?: string;
  png?: string;
  theme: Theme;
  title?: string;
  overwrite?: boolean;
}

const help = `
Examples:
  libra report runs/demo
      a page about a training run: report.html, which needs no network
  libra simulate --stand-in --gpus 64 --cp 8 --window 128K --json | libra report - --out what-if.html
  libra report runs/ulysses runs/libra --svg skew.svg --png skew.png
      runs side by side; with --svg or --png alone no page is written

Of a simulation: skew against dp and P, where a step's time goes, a timeline with a lane for each pool
and rank, workload of ranks, who waits for whom. Of a run: the same from its metrics.jsonl, the loss,
and the demonstration's comparison.
`;

/** `libra report`: what a simulation or a training run shows, as one page or drawing. */
export function addReport(program: Command, io: Io): void {
  program
    .command("report")
    .description("draw a simulation or a training run: one HTML page, SVG or PNG")
    .argument(
      "<sources...>",
      "runs folders, and files that libra simulate --json printed (-: stdin)",
    )
    .option("-o, --out <file>", "HTML page; default report.html unless --svg or --png is there")
    .option("--svg <file>", "drawing of every chart's first view")
    .option("--png <file>", "the same as a picture")
    .addOption(
      new Option("--theme <theme>", "of --svg and --png; the page follows its reader's")
        .choices(["light", "dark"])
        .default("light"),
    )
    .option("--title <text>", "default: what it is about")
    .option("--overwrite", "replace files that exist")
    .addHelpText("after", help)
    .action(async (paths: string[], options: ReportOptions) => {
      const files = await report(paths, options);
      io.out(`wrote ${files.join(", ")}\n`);
    });
}

async function report(paths: readonly string[], options: ReportOptions): Promise<string[]> {
  // Drawing takes a moment to load: other commands do not wait for it.
  const { buildReport, readSource, renderPage, renderPng, renderSvg } = await import(
    "@libra/report"
  );
  const built = buildReport(paths.map(readSource), options.title);
  const svg = () => renderSvg(built, options.theme);
  const { out, svg: svgFile, png: pngFile, overwrite = false } = options;
  const page = out ?? (svgFile === undefined && pngFile === undefined ? "report.html" : undefined);
  const outputs: [string | undefined, () => string | Uint8Array][] = [
    [page, () => renderPage(built)],
    [svgFile, svg],
    [pngFile, () => renderPng(svg())],
  ];
  const files: string[] = [];
  for (const [file, render] of outputs) {
    if (file === undefined) continue;
    await writeOutput(file, render(), overwrite);
    files.push(file);
  }
  return files;
}
