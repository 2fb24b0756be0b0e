import { expected, LibraError, nearest, requireInteger, requireNumber } from "@libra/base";
import type { Setting } from "./strategy.js";

/** Settings as they came in: of a file or a command line. */
export type SettingsInput = Readonly<Record<string, Setting>>;

/**
 * Refuses settings that a strategy does not have.
 *
 * @throws LibraError `ARGUMENT` that lists the valid ones, nearest first
 */
export function requireSettings(
  strategy: string,
  settings: SettingsInput,
  valid: readonly string[],
): void {
  for (const key of Object.keys(settings)) {
    if (valid.includes(key)) continue;
    const close = nearest(key, valid);
    const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "";
    const list = valid.length > 0 ? `valid settings: ${valid.join(", ")}` : "it has no settings";
    throw new LibraError("ARGUMENT", `${strategy} has no setting ${key}${hint}; ${list}`, {
      details: { strategy, key, valid },
    });
  }
}

/** A whole number among settings. */
export function integerSetting(
  settings: SettingsInput,
  key: string,
  fallback: number,
  min = 1,
): number {
  return requireInteger(settings[key] ?? fallback, key, min);
}

/** A share (0 … 1) among settings. */
export function shareSetting(settings: SettingsInput, key: string, fallback: number): number {
  return requireNumber(settings[key] ?? fallback, key, 0, 1);
}

/** One hop or two. */
export function hopsSetting(settings: SettingsInput, fallback: 1 | 2): 1 | 2 {
  return requireInteger(settings.hops ?? fallback, "hops", 1, 2) as 1 | 2;
}

/** Yes or no. */
export function flagSetting(settings: SettingsInput, key: string, fallback: boolean): boolean {
  const value = settings[key] ?? fallback;
  if (typeof value === "boolean") return value;
  throw expected("true or false", key, value);
}
