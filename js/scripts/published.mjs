// Leaves in the built extension only what JupyterLab reads: `node scripts/published.mjs`.
import { readFile, rm, writeFile } from "node:fs/promises";

const built = new URL("../../graphlab/labextension/", import.meta.url);
const file = new URL("package.json", built);
const { scripts, files, engines, devDependencies, overrides, ...read } = JSON.parse(
  await readFile(file, "utf8"),
);
await writeFile(file, `${JSON.stringify(read, null, 2)}\n`);
// the builder always writes it; this extension brings its styles itself
if (!read.jupyterlab._build.style) await rm(new URL("static/style.js", built), { force: true });
