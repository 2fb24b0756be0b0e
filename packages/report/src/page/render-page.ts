import type { Report } from "../build-report.js";
import type { Part } from "../chart/chart.js";
import { escapeText } from "../format.js";
import { pageScript } from "./page-script.js";
import { pageStyle } from "./page-style.js";
import { renderChart } from "./render-chart.js";
import { renderTable } from "./render-table.js";

// Nothing may be loaded, not even an icon.
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/**
 * The report as one HTML file that needs nothing else: style, script and drawings are inside, and its
 * policy forbids the network.
 */
export function renderPage({ title, parts }: Report): string {
  const name = escapeText(title);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<link rel="icon" href="data:,"><title>${name}</title><style>${pageStyle}</style></head><body>`,
    '<a class="skip" href="#content">Skip to the content</a>',
    `<header><div class="bar"><h1>${name}</h1>${themes()}</div>${contents(parts)}</header>`,
    `<main id="content" tabindex="-1">${parts.map(renderPart).join("")}</main>`,
    `<footer>Made by libra report.</footer><script>${pageScript}</script></body></html>\n`,
  ].join("\n");
}

function themes(): string {
  const inputs = ["auto", "light", "dark"]
    .map((value) => {
      const checked = value === "auto" ? " checked" : "";
      return `<label><input type="radio" name="theme" value="${value}"${checked}><span>${value}</span></label>`;
    })
    .join("");
  return `<fieldset><legend class="hide">Colours</legend>${inputs}</fieldset>`;
}

function contents(parts: readonly Part[]): string {
  const lists = parts.map((part, p) => {
    const items = part.charts
      .map(({ id, title }) => `<li><a href="#${idOf(p, id)}">${escapeText(title)}</a></li>`)
      .join("");
    const name = parts.length > 1 ? `<li>${escapeText(part.title)}:</li>` : "";
    return `<ul>${name}${items}</ul>`;
  });
  return `<nav aria-label="Charts">${lists.join("")}</nav>`;
}

function renderPart(part: Part, index: number): string {
  const facts = part.facts
    .map(
      ({ label, value }) => `<div><dt>${escapeText(label)}</dt><dd>${escapeText(value)}</dd></div>`,
    )
    .join("");
  const notes = part.notes.map((note) => `<li>${escapeText(note)}</li>`).join("");
  const list = notes === "" ? "" : `<div class="card"><ul>${notes}</ul></div>`;
  const overview =
    part.overview === undefined
      ? ""
      : `<div class="card">${renderTable(part.overview, `Overview of ${part.title}`)}</div>`;
  const charts = part.charts.map((chart) => renderChart(chart, idOf(index, chart.id))).join("\n");
  return `<h2>${escapeText(part.title)}</h2><dl class="facts">${facts}</dl>${list}${overview}${charts}`;
}

function idOf(part: number, id: string): string {
  return `part-${part}-${id}`;
}
