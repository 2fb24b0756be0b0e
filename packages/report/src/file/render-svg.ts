import type { Report } from "../build-report.js";
import type { Chart, LegendEntry } from "../chart/chart.js";
import { wideWidth } from "../chart/draw-plot.js";
import { escapeText } from "../format.js";
import { fixColors, paint, type Theme } from "../palette.js";

const margin = 24;
const lineLength = 128;

/** Lines and drawings below each other. */
class Sheet {
  height = margin;
  readonly #pieces: string[] = [];

  text(text: string, size: number, style: string, color = paint("ink")): void {
    this.height += size * 1.35;
    this.#pieces.push(
      `<text x="${margin}" y="${this.height.toFixed(1)}" font-size="${size}" fill="${color}" ${style}>${escapeText(text)}</text>`,
    );
  }

  legend(entries: readonly LegendEntry[]): void {
    if (entries.length === 0) return;
    this.height += 20;
    let x = margin;
    for (const { label, color } of entries) {
      const width = 30 + 7 * label.length;
      if (x + width > wideWidth + margin && x > margin) {
        x = margin;
        this.height += 18;
      }
      this.#pieces.push(
        `<rect x="${x}" y="${this.height - 10}" width="11" height="11" rx="2" fill="${paint(color)}"/>`,
        `<text x="${x + 17}" y="${this.height}" font-size="12" fill="${paint("ink")}">${escapeText(label)}</text>`,
      );
      x += width;
    }
    this.height += 8;
  }

  drawing(svg: string): void {
    const height = Number(/ height="([\d.]+)"/.exec(svg)![1]);
    this.#pieces.push(svg.replace("<svg ", `<svg x="${margin}" y="${this.height}" `));
    this.height += height;
  }

  space(pixels: number): void {
    this.height += pixels;
  }

  toString(): string {
    return this.#pieces.join("\n");
  }
}

/**
 * The first view of every chart in one SVG drawing, below each other.
 *
 * @param theme - default light
 */
export function renderSvg({ title, parts }: Report, theme: Theme = "light"): string {
  const sheet = new Sheet();
  sheet.text(title, 24, 'font-weight="700"');
  for (const part of parts) {
    sheet.space(10);
    if (part.title !== title) sheet.text(part.title, 19, 'font-weight="700"');
    const facts = part.facts.map(({ label, value }) => `${label}: ${value}`).join("   ");
    for (const line of wrap(facts)) sheet.text(line, 13, "", paint("muted"));
    for (const chart of part.charts) addChart(sheet, chart);
  }
  const width = wideWidth + 2 * margin;
  const height = Math.ceil(sheet.height + margin);
  const background = `<rect width="${width}" height="${height}" fill="${paint("card")}"/>`;
  return fixColors(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" role="img" aria-label="${escapeText(title)}">\n${background}\n${sheet}\n</svg>\n`,
    theme,
  );
}

function addChart(sheet: Sheet, { title, summary, views }: Chart): void {
  const [view] = views;
  if (view === undefined) return;
  sheet.space(26);
  sheet.text(views.length > 1 ? `${title}: ${view.label}` : title, 16, 'font-weight="700"');
  for (const line of wrap(summary)) sheet.text(line, 12, "", paint("muted"));
  sheet.legend(view.legend);
  sheet.space(10);
  sheet.drawing(view.draw(wideWidth));
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > lineLength) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(line);
  return lines;
}
