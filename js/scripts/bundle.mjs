// Builds the bundles: `node scripts/bundle.mjs lab player`.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { minify } from "terser";
import { unnamed } from "./licences.mjs";
import { packedFiles, scriptOf } from "./packing.mjs";
import { coreAndExtras } from "./parts.mjs";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const OUT = here("lib/lab");
// Bytes. widget: it is in every saved notebook; player: in text/html. lab: fetched once, beside the player.
const LIMITS = { widget: 64 * 1024, player: 99 * 1024, lab: 48 * 1024 };

const bundles = {
  // What the widget needs is the core; the extras import the rest of the player from it. Both are files of the
  // extension, where Python finds them too: so the wheel holds them once.
  player: {
    entryPoints: { core: "src/widget.ts", extras: "src/fallback.ts" },
    format: "esm",
    splitting: true,
  },
  // Two entries that share the player. Lumino and JupyterLab's packages stay outside: the labextension
  // builder takes those of JupyterLab.
  lab: {
    entryPoints: ["src/lab/index.ts", "src/lab/mime.ts"],
    format: "esm",
    splitting: true,
    external: ["@jupyterlab/*", "@lumino/*"],
  },
};

const shortNames = new Map(); // of CSS variables; and back, so that no two share one

/**
 * Shortens the names of the CSS variables in a text; no other code uses them. A name always gets the same
 * short name, in every bundle and version, because one page may hold outputs of several versions.
 */
function shortened(text) {
  return text.replaceAll(/--gl-[a-z-]+/g, (name) => {
    if (shortNames.has(name)) return shortNames.get(name);
    const hash = createHash("sha256").update(name).digest().readUInt32BE();
    const short = `--g${(hash % 36 ** 3).toString(36).padStart(3, "0")}`;
    if (shortNames.has(short)) throw new Error(`${name} and ${shortNames.get(short)} would both be ${short}`);
    shortNames.set(name, short).set(short, name);
    return short;
  });
}

async function minified(path) {
  const source = await readFile(path, "utf8");
  const { code } = await esbuild.transform(source, { loader: "css", minify: true, charset: "utf8" });
  return code.trim();
}

/** Import a style sheet as one minified string. */
export const cssText = {
  name: "css-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: await minified(path),
      loader: "text",
    }));
  },
};

/** An expression that esbuild has made, smaller by a twentieth once it is compressed. The same text at every run. */
async function smaller(text) {
  const format = { ascii_only: true, ecma: 2022, comments: false };
  const compress = { passes: 3, expression: true, pure_getters: true, unsafe_arrows: true }; // reading a property does nothing else
  const { code } = await minify(text, { ecma: 2022, compress, format });
  return code.replace(/;$/, "");
}

/** Build one of `bundles`. Throws if it is too large. */
async function bundle(name) {
  const { outputFiles, metafile } = await esbuild.build({
    outdir: OUT,
    absWorkingDir: here("."),
    ...bundles[name],
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "ascii", // the player is in text/html, whose encoding some front ends guess
    legalComments: "none",
    plugins: [cssText],
    write: false,
    metafile: true,
  });
  const licences = await readFile(here("../THIRD_PARTY_LICENSES.md"), "utf8");
  const foreign = unnamed(metafile, licences).join(", ");
  if (foreign) throw new Error(`${name} holds code of ${foreign}: name it in THIRD_PARTY_LICENSES.md`);
  if (name === "lab") {
    await rm(OUT, { recursive: true, force: true }); // the names of its parts change
    // JupyterLab's builder minifies them itself
    const texts = outputFiles.map(({ path, text }) => [path, shortened(text)]);
    for (const [path, text] of texts) await write(path, text);
    return check("lab", texts.map(([, text]) => text).join(""));
  }
  const parts = coreAndExtras(outputFiles).map(async (text) => shortened(await smaller(text)));
  const files = packedFiles(...(await Promise.all(parts)));
  for (const [part, text] of Object.entries(files)) await write(join(OUT, `graphlab.${part}`), text);
  check("widget", files.core);
  check("player", scriptOf(files));
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(`${relative(here("."), path)}  ${(Buffer.byteLength(text) / 1024).toFixed(1)} KB`);
}

function check(name, text) {
  const [size, limit] = [Buffer.byteLength(text), LIMITS[name]];
  console.log(`${name}: ${size} of ${limit} bytes`);
  if (size > limit) throw new Error(`${name} is ${size} bytes, more than the ${limit} allowed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in bundles));
  if (unknown.length || !names.length) {
    console.error(
      `unknown bundle ${unknown.join(", ") || "(none given)"} (must be among ${Object.keys(bundles).join(", ")})`,
    );
    process.exit(1);
  }
  for (const name of names) await bundle(name);
}
