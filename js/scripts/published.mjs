// Leaves in the built extension only what JupyterLab reads: `node scripts/published.mjs`.
import { readFile, rm, writeFile } from "node:fs/promises";

const built = new URL("../../graphlab/labextension/", import.meta.url);
const file = new URL("package.json", built);
const { name, version, description, license, author, jupyterlab } = JSON.parse(await readFile(file, "utf8"));
const { schemaDir, outputDir, webpackConfig, ...read } = jupyterlab; // without what the builder reads
const shown = { name, version, description, license, author, jupyterlab: read };
await writeFile(file, `${JSON.stringify(shown)}\n`);
// the builder always writes it; this extension brings its styles itself
if (!read._build.style) await rm(new URL("static/style.js", built), { force: true });
