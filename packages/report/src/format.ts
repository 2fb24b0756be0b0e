/** "812 µs", "12.3 ms", "1.46 s", "2.1 min". */
export function formatSeconds(seconds: number): string {
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds);
  if (size >= 120) return `${threeDigits(seconds / 60)} min`;
  if (size >= 1) return `${threeDigits(seconds)} s`;
  if (size >= 1e-3) return `${threeDigits(seconds * 1e3)} ms`;
  return `${threeDigits(seconds * 1e6)} µs`;
}

/** Three significant digits, never an exponent: "0.0123", "1.23", "123", "1234". */
function threeDigits(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 12));
}

/** "1,234,567". */
export function formatCount(value: number): string {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** "12.3 %". */
export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Tokens as windows are named: "256K", "1M", or the plain number. */
export function formatTokens(tokens: number): string {
  if (tokens >= 2 ** 20 && tokens % 2 ** 20 === 0) return `${tokens / 2 ** 20}M`;
  if (tokens >= 1024 && tokens % 1024 === 0) return `${tokens / 1024}K`;
  return formatCount(tokens);
}

/** Text for HTML and SVG, inside elements and attributes. */
export function escapeText(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character]!);
}
