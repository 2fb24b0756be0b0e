import { readFileSync } from "node:fs";
import { LibraError } from "@libra/base";
import { parse as parseYaml } from "yaml";
import { checkTogether } from "./check-together.js";
import { explainIssue } from "./explain-issue.js";
import { configSchema, type TrainConfig } from "./schema.js";
import { setValue } from "./set-value.js";

/**
 * Reads a YAML configuration, applies `path=value` settings on top and checks the whole.
 *
 * @param path - file; undefined for the defaults alone
 * @param settings - such as `optimizer.learningRate=1e-3`; values are YAML
 * @throws LibraError `CONFIGURATION`, one line per problem: path, value, what is valid
 */
export function loadConfig(
  path: string | undefined,
  settings: readonly string[] = [],
): TrainConfig {
  const value = path === undefined ? {} : readYaml(path);
  for (const setting of settings) setValue(value, setting);
  return checkConfig(value, path ?? "the settings");
}

/**
 * Checks a configuration that is already in memory.
 *
 * @param where - what messages call it
 * @throws LibraError `CONFIGURATION`
 */
export function checkConfig(value: unknown, where: string): TrainConfig {
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => explainIssue(issue, value, keysAt));
    // One problem, as most often, is one line; several are a list.
    const between = lines.length === 1 ? " " : "\n";
    throw new LibraError(
      "CONFIGURATION",
      `Wrong configuration in ${where}:${between}${lines.join("\n")}`,
    );
  }
  checkTogether(parsed.data, where);
  return parsed.data;
}

function readYaml(path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseYaml(readFileSync(path, "utf8")) ?? {};
  } catch (cause) {
    const { message } = cause as Error;
    throw new LibraError("CONFIGURATION", `Cannot read ${path}: ${message}`, { cause });
  }
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new LibraError("CONFIGURATION", `${path}: Expected keys and values but received ${value}`);
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema.shape);
  const section = configSchema.shape[path[0] as keyof typeof configSchema.shape];
  const inner = "unwrap" in section ? section.unwrap() : section;
  return "shape" in inner ? Object.keys(inner.shape) : [];
}
