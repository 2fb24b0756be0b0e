// Fails when native/include/libra/libra.h, the addon's exports and src/native/binding.ts drift.
//
// Every function of the header that is not marked "C only" must be exported by the addon and
// declared in the interface Binding, by the same name without "libra_" in camel case and with the
// same parameters in the same order: a tensor is two (name, nameOffset), a column or a handle one;
// the environment, results (a last `…* out`) and callbacks are none; data with its bytes, and a
// list with its count, are one.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ts from "typescript";
import { nativeSources, root } from "./native-tools.mjs";

const addonOnly = ["setErrorClass"];
const reserved = new Set(["in"]); // words that TypeScript keeps for itself get a trailing _

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Functions of the header: name in camel case to its parameters' names as JavaScript has them. */
function headerFunctions() {
  const text = readFileSync(join(nativeSources(), "include", "libra", "libra.h"), "utf8");
  const body = text
    .replace(/^#.*$/gm, "")
    .replace(/\/\*.*?\*\//gs, (comment) => (comment === "/* C only */" ? comment : ""));
  const found = new Map();
  for (const match of body.matchAll(/\blibra_(\w+)\(([^()]*)\);[ \t]*(\/\* C only \*\/)?/g)) {
    const [, name, parameters, cOnly] = match;
    if (cOnly === undefined) found.set(camel(name), parameterNames(parameters));
  }
  return found;
}

function parameterNames(text) {
  const parameters = text.split(",").map((part) => {
    const [, type, name] = /^\s*(.*?[\s*])(\w+)\s*$/s.exec(part) ?? [];
    return { type: type?.replace(/\s+/g, " ").trim(), name };
  });
  return parameters.flatMap(({ type, name }, at) => {
    const before = parameters[at - 1]?.type;
    if (type === undefined || type === "libra_environment*") return [];
    if (name === "out" && type !== "libra_tensor") return [];
    if (type === "libra_callback" || type === "void*" || name === "capacity") return [];
    if (before === "const void*" || before === "const libra_transfer*") return [];
    const own = camel(name);
    if (type === "libra_tensor") return [own, `${own}Offset`];
    return [reserved.has(own) ? `${own}_` : own];
  });
}

/** Methods of an interface of binding.ts and their parameters' names. */
function declaredFunctions(interfaceName) {
  const path = join(root, "src", "native", "binding.ts");
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  const declaration = file.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === interfaceName,
  );
  return new Map(
    declaration.members.map((member) => [
      member.name.text,
      member.parameters.map((parameter) => parameter.name.text),
    ]),
  );
}

const header = headerFunctions();
const binding = declaredFunctions("Binding");
const extra = declaredFunctions("AddonOnly");
const addon = createRequire(import.meta.url)(join(root, "build", "release", "libra.node"));
const exported = new Set(Object.keys(addon));

const problems = [];
for (const [name, parameters] of header) {
  if (!exported.has(name)) problems.push(`${name}: in libra.h, not exported by the addon`);
  const declared = binding.get(name);
  if (declared === undefined) problems.push(`${name}: in libra.h, not declared in binding.ts`);
  else if (declared.join() !== parameters.join()) {
    problems.push(`${name}: libra.h has (${parameters}), binding.ts has (${declared})`);
  }
}
for (const name of binding.keys()) {
  if (!header.has(name)) problems.push(`${name}: declared in binding.ts, not in libra.h`);
}
for (const name of exported) {
  if (!header.has(name) && !addonOnly.includes(name)) {
    problems.push(`${name}: exported by the addon, not in libra.h`);
  }
}
if ([...extra.keys()].join() !== addonOnly.join()) {
  problems.push(`AddonOnly declares ${[...extra.keys()]}, expected ${addonOnly}`);
}
if (header.size === 0) problems.push("no functions found in libra.h");

if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  console.log(`${header.size} functions agree in libra.h, the addon and binding.ts`);
}
