// Each check takes an open page and returns problems: sentences, none when all is well.

/** Every view of every chart is drawn: large enough, with marks that have a size. */
export async function checkCharts(page) {
  return await page.evaluate(async () => {
    const problems = [];
    for (const card of document.querySelectorAll("[data-chart]")) {
      const inputs = [...card.querySelectorAll("fieldset input")];
      const views = card.querySelectorAll("[data-view]").length;
      for (let view = 0; view < views; view++) {
        inputs[view]?.click();
        const shown = [...card.querySelectorAll("svg")].filter((svg) => svg.checkVisibility());
        const name = `${card.id}, view ${view}`;
        if (shown.length !== 1) problems.push(`${name}: ${shown.length} drawings are visible`);
        const box = shown[0]?.getBoundingClientRect();
        if (!box || box.width < 200 || box.height < 60) problems.push(`${name}: not drawn`);
        const marks = [...(shown[0]?.querySelectorAll("title") ?? [])].map((title) =>
          title.parentElement.getBoundingClientRect(),
        );
        if (!marks.some(({ width, height }) => width > 0.5 && height > 0.5)) {
          problems.push(`${name}: no marks`);
        }
      }
      inputs[0]?.click();
    }
    if (document.querySelectorAll("[data-chart]").length < 10) problems.push("charts are missing");
    return problems;
  });
}

/** Tab goes through the page in its order, every stop shows that it has the focus. */
export async function checkKeyboard(page) {
  const problems = [];
  await page.evaluate(() => {
    window.scrollTo(0, 0);
    document.activeElement.blur();
    window.stops = [];
  });
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press("Tab");
    const ended = await page.evaluate(() => {
      const { activeElement: stop, body } = document;
      if (stop === body || window.stops.includes(stop)) return true;
      window.stops.push(stop);
      return false;
    });
    if (ended) break;
    const seen = await page.evaluate(() => {
      const stop = window.stops[window.stops.length - 1];
      const shown = stop.matches("fieldset input") ? stop.nextElementSibling : stop;
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      const box = shown.getBoundingClientRect();
      const inside = box.bottom > 0 && box.top < innerHeight && box.width > 0;
      const name = stop.getAttribute("aria-label") || stop.textContent.slice(0, 40) || stop.name;
      return { name, ring: outlineStyle !== "none" && outlineWidth !== "0px", inside };
    });
    if (!seen.ring) problems.push(`focus does not show on ${seen.name}`);
    if (!seen.inside) problems.push(`focus is out of sight on ${seen.name}`);
  }
  const order = await page.evaluate(() => {
    const { stops } = window;
    const follows = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
    return {
      count: stops.length,
      first: stops[0]?.textContent,
      sorted: stops.every((stop, i) => i === 0 || follows(stops[i - 1], stop)),
      plots: stops.filter((stop) => stop.matches(".plot")).length,
      charts: document.querySelectorAll("[data-chart]").length,
    };
  });
  if (order.first !== "Skip to the content") problems.push(`the first stop is ${order.first}`);
  if (!order.sorted) problems.push("Tab leaves the page's order");
  if (order.plots !== order.charts) {
    problems.push(`Tab reaches ${order.plots} drawings of ${order.charts} charts`);
  }
  return [...problems, ...(await checkArrows(page))];
}

async function checkArrows(page) {
  const problems = [];
  const timeline = page.locator("[id$=timeline]").first();
  await timeline.locator("fieldset input").first().focus();
  await page.keyboard.press("ArrowRight");
  if (!(await timeline.locator('[data-view="1"]').isVisible())) {
    problems.push("arrow keys do not change the view");
  }
  const view = timeline.locator('[data-view="1"]');
  await view.locator(".plot:visible").focus();
  const texts = [];
  for (const key of ["ArrowRight", "ArrowRight", "End"]) {
    await page.keyboard.press(key);
    texts.push(await view.locator("output").textContent());
  }
  if (new Set(texts).size !== 3 || !/rank|pool/.test(texts[0])) {
    problems.push(`arrow keys do not read marks: ${texts.join(" | ")}`);
  }
  await timeline.locator("fieldset input").first().check({ force: true });
  return problems;
}

/** Nothing is wider than the screen, and letters stay legible. */
export async function checkPhone(page) {
  return await page.evaluate(() => {
    const problems = [];
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) problems.push(`the page is ${scrollWidth} wide of ${innerWidth}`);
    for (const svg of document.querySelectorAll(".plot svg")) {
      if (!svg.checkVisibility()) continue;
      const box = svg.getBoundingClientRect();
      const size = (12 * box.width) / svg.viewBox.baseVal.width;
      const name = svg.closest("[data-chart]").id;
      if (size < 10) problems.push(`letters of ${name} are ${size.toFixed(1)} pixels high`);
      for (const text of svg.querySelectorAll("text")) {
        const { left, right } = text.getBoundingClientRect();
        if (left < -1 || right > innerWidth + 1) {
          problems.push(`${name}: "${text.textContent}" leaves the screen`);
        }
      }
    }
    return problems;
  });
}

/** The theme is the wanted one, and texts have contrast. */
export async function checkTheme(page, theme) {
  return await page.evaluate((wanted) => {
    const luminance = (color) => {
      const parts = color
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map((part) => {
          const value = Number(part) / 255;
          return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const contrast = (a, b) => {
      const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
      return (high + 0.05) / (low + 0.05);
    };
    const problems = [];
    const page = getComputedStyle(document.body).backgroundColor;
    if (luminance(page) > 0.5 !== (wanted === "light")) problems.push(`the page is not ${wanted}`);
    const card = document.querySelector(".card");
    const background = getComputedStyle(card).backgroundColor;
    for (const selector of [".card h3", ".card .quiet", ".card td", ".card output", ".legend li"]) {
      const { color } = getComputedStyle(document.querySelector(selector));
      const value = contrast(color, background);
      if (value < 4.5) problems.push(`${selector} has contrast ${value.toFixed(1)} in ${wanted}`);
    }
    for (const mark of document.querySelectorAll(".legend i")) {
      const value = contrast(getComputedStyle(mark).backgroundColor, background);
      if (value < 3) problems.push(`a colour has contrast ${value.toFixed(1)} in ${wanted}`);
    }
    return problems;
  }, theme);
}
