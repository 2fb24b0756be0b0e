import type { Chart, View } from "../chart/chart.js";
import { narrowWidth, wideWidth } from "../chart/draw-plot.js";
import { escapeText } from "../format.js";
import { paint } from "../palette.js";
import { renderTable } from "./render-table.js";

const hint = "Focus the drawing and press arrow keys, or point at a mark, to read it.";

/** A chart as a card: a choice of views, and for each a drawing for wide and one for narrow screens. */
export function renderChart(chart: Chart, id: string): string {
  const { title, summary, views } = chart;
  const drawn = views.map((view, i) => renderView(view, i, title)).join("");
  return `<section class="card" id="${id}" data-chart aria-labelledby="${id}-title"><h3 id="${id}-title">${escapeText(title)}</h3><p class="quiet">${escapeText(summary)}</p>${choices(views, id, title)}${drawn}</section>`;
}

function choices(views: readonly View[], id: string, title: string): string {
  if (views.length < 2) return "";
  const inputs = views
    .map(({ label }, i) => {
      const checked = i === 0 ? " checked" : "";
      return `<label><input type="radio" name="${id}-view" value="${i}"${checked}><span>${escapeText(label)}</span></label>`;
    })
    .join("");
  return `<fieldset><legend class="hide">Views of ${escapeText(title)}</legend>${inputs}</fieldset>`;
}

function renderView(view: View, index: number, title: string): string {
  const label = `${title}, ${view.label}`;
  const legend = view.legend
    .map(
      ({ label: text, color }) =>
        `<li><i style="background:${paint(color)}"></i>${escapeText(text)}</li>`,
    )
    .join("");
  const list = legend === "" ? "" : `<ul class="legend">${legend}</ul>`;
  const plots = [
    { name: "wide", width: wideWidth },
    { name: "narrow", width: narrowWidth },
  ]
    .map(
      ({ name, width }) =>
        `<div class="plot ${name}" tabindex="0" role="group" aria-label="${escapeText(label)}">${view.draw(width)}</div>`,
    )
    .join("");
  const table = renderTable(view.table, `Figures of ${label}`);
  return `<div data-view="${index}">${list}${plots}<output aria-live="polite">${hint}</output><details><summary>Figures</summary>${table}</details></div>`;
}
