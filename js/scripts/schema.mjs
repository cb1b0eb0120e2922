// Write src/schema.ts from docs/trace.schema.json; with --check, only say whether it is current.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const source = here("../docs/trace.schema.json");
const target = here("src/schema.ts");

// json-schema-to-typescript knows tuples as they were written before JSON Schema 2020-12.
const tuples = (_key, value) =>
  value?.prefixItems
    ? { ...value, prefixItems: undefined, items: value.prefixItems, additionalItems: false }
    : value;

const schema = JSON.parse(await readFile(source, "utf8"), tuples);
const compiled = await compile(schema, "Trace", {
  bannerComment: "// Generated from docs/trace.schema.json by `npm run schema`. Do not edit.",
  additionalProperties: false,
  unreachableDefinitions: true,
  style: { printWidth: 100 },
});
const made = compiled.replaceAll(/\/\*\*\n \* This interface was referenced by [^/]*\*\/\n/g, "");

if (process.argv.includes("--check")) {
  const found = await readFile(target, "utf8").catch(() => "");
  if (found.replaceAll("\r\n", "\n") !== made) {
    console.error("src/schema.ts is older than docs/trace.schema.json: run `npm run schema`");
    process.exit(1);
  }
} else {
  await writeFile(target, made);
  console.log("src/schema.ts");
}
