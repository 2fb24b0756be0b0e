import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { escapeText } from "../format.js";

/** Narrower drawings are made for phones. */
export const narrowWidth = 340;
export const wideWidth = 860;

export function isNarrow(width: number): boolean {
  return width < 600;
}

/**
 * Draws a plot without a browser.
 *
 * @param description - read aloud in place of the drawing
 * @returns an SVG element; its colours may be the palette's CSS variables
 */
export function drawPlot(options: Plot.PlotOptions, description: string): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const style = { fontSize: "12px", fontFamily: "system-ui, sans-serif", overflow: "visible" };
  const svg = Plot.plot({ document, style, ...options }).outerHTML as string;
  // Pages and files give all drawings one style, and keep them out of the tab order.
  return (
    svg
      .replace(/<style>[\s\S]*?<\/style>/, "")
      // A hundredth of a pixel is more than anyone sees.
      .replaceAll(/(\d+\.\d\d)\d+(?=[^<]*>)/g, "$1")
      .replace(
        "<svg ",
        `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escapeText(description)}" `,
      )
  );
}
