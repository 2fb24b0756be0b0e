import { nearest } from "@libra/base";
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/**
 * One line for one problem: its path, what came, what is valid.
 *
 * @param value - the whole value that was checked, to show what came
 * @param keysAt - the valid keys of the object at a path
 */
export function explainIssue(
  issue: Issue,
  value: unknown,
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): string {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey(path, key, keysAt(issue.path))).join("\n");
  }
  const found = valueAt(value, issue.path);
  // JSON has no NaN and no infinity.
  const received = typeof found === "number" ? `${found}` : (JSON.stringify(found) ?? "nothing");
  return `${path || "the file"}: Expected ${validValues(issue)} but received ${received}`;
}

function unknownKey(path: string, key: string, valid: readonly string[]): string {
  const close = nearest(key, valid);
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}? ` : "";
  const full = path === "" ? key : `${path}.${key}`;
  return `${full}: no such key; ${hint}Valid keys: ${valid.join(", ")}`;
}

function validValues(issue: Issue): string {
  switch (issue.code) {
    case "invalid_value":
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map(String).join(", ")}`;
    case "invalid_type":
      return issue.expected === "int" ? "an integer" : withArticle(issue.expected);
    case "too_small":
      return `${kind(issue.origin)} ${issue.inclusive ? "of at least" : "above"} ${issue.minimum}`;
    case "too_big":
      return `${kind(issue.origin)} ${issue.inclusive ? "of at most" : "below"} ${issue.maximum}`;
    default:
      return issue.message.replace(/^Expected /, "");
  }
}

function kind(origin: string): string {
  if (origin === "string") return "text with a length";
  if (origin === "array") return "a list with a length";
  return origin === "int" ? "an integer" : "a number";
}

function withArticle(word: string): string {
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
}
