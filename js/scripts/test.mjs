// Bundle test/*.test.ts and run them with Node's own test runner, a suite for each file.
import { spawnSync } from "node:child_process";
import { readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { cssText } from "./bundle.mjs";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const only = process.argv.slice(2);
const names = (await readdir(here("test")))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => !only.length || only.some((part) => name.includes(part)));

await rm(here("lib/test"), { recursive: true, force: true });
await esbuild.build({
  entryPoints: names.map((name) => here(`test/${name}`)),
  outdir: here("lib/test"),
  outExtension: { ".js": ".mjs" },
  format: "esm",
  platform: "node",
  target: "node20",
  bundle: true,
  // One file of happy-dom's thousand: each test's process would look for all of them.
  splitting: true,
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  sourcemap: "inline",
  sourcesContent: false,
  plugins: [cssText],
});

// A process for ten files: it loads happy-dom once, which takes longer than most files' tests.
const groups = [];
for (let first = 0; first < names.length; first += 10) {
  const suites = names.slice(first, first + 10).map((name) => {
    const file = `./${name.replace(/\.ts$/, ".mjs")}`;
    return `describe(${JSON.stringify(name)}, async () => { await import(${JSON.stringify(file)}); });\n`;
  });
  groups.push(here(`lib/test/group${groups.length}.mjs`));
  await writeFile(groups.at(-1), `import { describe } from "node:test";\n${suites.join("")}`);
}
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", "--no-warnings", "--test", "--test-reporter=spec", ...groups],
  {
    stdio: "inherit",
    cwd: here("."),
  },
);
process.exit(status ?? 1);
