import type { Table } from "../chart/chart.js";
import { escapeText } from "../format.js";

/** A table that scrolls by itself, so that the page never does sideways. */
export function renderTable({ head, rows }: Table, label: string): string {
  const cells = (tag: string, values: readonly string[]) =>
    values.map((value) => `<${tag}>${escapeText(value)}</${tag}>`).join("");
  const heads = head.map((value) => `<th scope="col">${escapeText(value)}</th>`).join("");
  const body = rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("");
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeText(label)}"><table><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}
