// Bundle test/*.test.ts and run them with Node's own test runner.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
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

const files = names.map((name) => here(`lib/test/${name.replace(/\.ts$/, ".mjs")}`));
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", "--no-warnings", "--test", "--test-reporter=spec", ...files],
  {
    stdio: "inherit",
    cwd: here("."),
  },
);
process.exit(status ?? 1);
