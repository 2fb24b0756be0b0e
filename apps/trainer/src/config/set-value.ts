import { LibraError } from "@libra/base";
import { parse as parseYaml } from "yaml";

/**
 * Applies one `path=value` setting to a configuration value.
 *
 * @param target - changed in place; missing sections are made
 * @throws LibraError `CONFIGURATION` when the setting has no `=` or goes through a plain value
 */
export function setValue(target: Record<string, unknown>, setting: string): void {
  const equals = setting.indexOf("=");
  if (equals < 1) {
    throw new LibraError(
      "CONFIGURATION",
      `Expected path=value for --set but received ${JSON.stringify(setting)}`,
    );
  }
  const keys = setting.slice(0, equals).split(".");
  const last = keys.pop()!;
  let section = target;
  for (const key of keys) {
    const inner = Object.hasOwn(section, key) ? section[key] : undefined;
    if (inner !== undefined && (typeof inner !== "object" || inner === null)) {
      throw new LibraError("CONFIGURATION", `${setting}: ${key} holds a value, not a section`);
    }
    const next = (inner ?? {}) as Record<string, unknown>;
    Object.defineProperty(section, key, { value: next, enumerable: true, writable: true });
    section = next;
  }
  const value = parseValue(setting, setting.slice(equals + 1));
  Object.defineProperty(section, last, { value, enumerable: true, writable: true });
}

function parseValue(setting: string, text: string): unknown {
  try {
    return parseYaml(text);
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new LibraError("CONFIGURATION", `${setting}: the value is no YAML: ${reason}`, { cause });
  }
}
