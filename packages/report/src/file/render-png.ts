import { LibraError } from "@libra/base";
import { Resvg } from "@resvg/resvg-js";

/**
 * Draws an SVG as PNG.
 *
 * @param scale - pixels of the picture for one of the drawing; default 1.5
 * @throws LibraError `ENVIRONMENT` on a machine without any font: letters would be missing
 */
export function renderPng(svg: string, scale = 1.5): Uint8Array {
  requireFonts();
  const fitTo = { mode: "zoom" as const, value: scale };
  return new Resvg(svg, { fitTo, font }).render().asPng();
}

const font = { loadSystemFonts: true, defaultFontFamily: "DejaVu Sans" };

function requireFonts(): void {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">M</text></svg>`;
  if (new Resvg(text, { font }).innerBBox() !== undefined) return;
  throw new LibraError(
    "ENVIRONMENT",
    "This machine has no fonts, so a PNG would have no letters: install some (fonts-dejavu-core), or write SVG or HTML",
  );
}
