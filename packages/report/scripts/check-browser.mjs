// Does the report work in a real browser? Draws one of a simulation and of a run, opens it in Chromium
// and checks: charts drawn, no errors, no network, keyboard, phone width, light and dark.
// Usage: node packages/report/scripts/check-browser.mjs [--install] [--screenshots]
// --install: fetch Chromium by apt-get; --screenshots: renew docs/screenshots
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { checkCharts, checkKeyboard, checkPhone, checkTheme } from "./browser/checks.mjs";
import { findChromium, flags } from "./browser/find-chromium.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const executablePath = findChromium(process.argv.includes("--install"));
if (executablePath === undefined) {
  console.log("skipped: there is no Chromium (apt-get install chromium, or --install as root)");
  process.exit(0);
}
const build = ["exec", "turbo", "run", "build", "--filter=@libra/report"];
const built = spawnSync(process.execPath, ["scripts/pnpm.mjs", "--silent", ...build], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(built.status ?? 1);
const { writeSamplePage } = await import("./browser/sample-page.mjs");

const folder = mkdtempSync(join(tmpdir(), "libra-browser-"));
const file = join(folder, "report.html");
const kept = process.argv.includes("--screenshots");
const screenshots = kept ? join(root, "docs/screenshots") : join(folder, "screenshots");
const largest = 300 * 1024;
const problems = [];
const wide = { width: 1000, height: 1250 };
const phone = { width: 360, height: 740 };

const report = (name, found) => {
  console.log(`${name}: ${found.length === 0 ? "ok" : "FAILED"}`);
  for (const problem of found) console.log(`  ${problem}`);
  problems.push(...found);
};

/** Opens the page in a fresh browser; what it does wrong by itself is reported when it closes. */
async function withPage(name, options, use) {
  const profile = mkdtempSync(join(folder, "profile-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: flags,
    headless: true,
    // Smooth scrolling takes time that checks do not.
    reducedMotion: "reduce",
    ...options,
  });
  const errors = [];
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => errors.push(`script: ${error.message}`));
    page.on("request", (request) => {
      const url = request.url();
      if (url !== pathToFileURL(file).href && !url.startsWith("data:"))
        errors.push(`asked for ${url}`);
    });
    await page.goto(pathToFileURL(file).href);
    await use(page);
  } finally {
    await context.close();
  }
  report(`${name}: no errors, no requests`, errors);
}

async function screenshot(page, name, options = {}) {
  const path = join(screenshots, `${name}.png`);
  await page.screenshot({ path, ...options });
  const { size } = statSync(path);
  const kilobytes = Math.ceil(size / 1024);
  report(`${name}.png, ${kilobytes} KB`, size > largest ? [`more than ${largest / 1024} KB`] : []);
}

async function shootChart(page, id, name) {
  await page
    .locator(`[id$=${id}]`)
    .first()
    .screenshot({ path: join(screenshots, `${name}.png`) });
  const { size } = statSync(join(screenshots, `${name}.png`));
  report(`${name}.png, ${Math.ceil(size / 1024)} KB`, size > largest ? ["too large"] : []);
}

try {
  mkdirSync(screenshots, { recursive: true });
  writeSamplePage(file);
  await withPage("light", { viewport: wide, colorScheme: "light" }, async (page) => {
    report("charts", await checkCharts(page));
    report("light", await checkTheme(page, "light"));
    report("keyboard", await checkKeyboard(page));
    await page.evaluate(() => {
      document.activeElement.blur();
      scrollTo(0, 0);
    });
    await screenshot(page, "report-light");
    await shootChart(page, "timeline", "report-timeline");
    await shootChart(page, "breakdown", "report-breakdown");
    await page.locator("input[value=dark]").check({ force: true });
    report("dark by choice", await checkTheme(page, "dark"));
  });
  await withPage("dark", { viewport: wide, colorScheme: "dark" }, async (page) => {
    report("dark", await checkTheme(page, "dark"));
    await page.evaluate(() => document.querySelector("[id$=skew]").scrollIntoView());
    await screenshot(page, "report-dark");
    await page.locator("input[value=light]").check({ force: true });
    report("light by choice", await checkTheme(page, "light"));
  });
  const touch = { viewport: phone, colorScheme: "light", isMobile: true, hasTouch: true };
  await withPage("phone", { ...touch, deviceScaleFactor: 2 }, async (page) => {
    report("phone", await checkPhone(page));
    report("phone charts", await checkCharts(page));
    await page.evaluate(() => document.querySelector("[id$=skew]").scrollIntoView());
    await screenshot(page, "report-phone");
    await page.evaluate(() => document.querySelector("[id$=waiting]").scrollIntoView());
    await screenshot(page, "report-phone-waiting");
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(problems.length === 0 ? "check-browser: ok" : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
