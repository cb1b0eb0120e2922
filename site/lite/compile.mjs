// Run Pyodide's own Python in Node.js, and let it write wheels anew (precompile.py says how):
//   node compile.mjs CORE_FOLDER INFO_OF_THE_LOCK < jobs, as JSON: [{from: wheel, to: archive}]
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

process.on("uncaughtException", (error) => {
    console.error(String(error.message || error.name).trim().slice(-4000)); // no page of code
    process.exit(1);
});
const [core, info] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${core}/pyodide.mjs`).href);
const lockFileContents = JSON.stringify({ info: JSON.parse(info), packages: {} });
const python = await loadPyodide({ indexURL: core, lockFileContents });
python.runPython(readFileSync(new URL("./precompile.py", import.meta.url), "utf-8"));
const jobs = JSON.parse(readFileSync(0, "utf-8"));
const wheels = jobs.map(({ from }) => new Uint8Array(readFileSync(from)));
const archives = python.globals.get("write_archives")(wheels);
jobs.forEach(({ to }, place) => {
    writeFileSync(to, archives.get(place).toJs());
});
