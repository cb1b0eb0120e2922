// What each bundle is made of, and how: `node scripts/bundle.mjs widget player lab`.
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const STATIC = "../graphlab/widgets/static";
const LIMIT = 60 * 1024; // bytes: the widget's module travels into every saved notebook

const bundles = {
  widget: { entry: "src/widget.ts", outfile: `${STATIC}/widget.js`, format: "esm" },
  player: { entry: "src/fallback.ts", outfile: `${STATIC}/player.js`, format: "iife" },
  // Lumino is JupyterLab's own copy, which the labextension builder shares.
  lab: { entry: "src/lab/index.ts", outfile: "lib/lab.js", format: "esm", external: ["@lumino/widgets"] },
};

/** Import a stylesheet as one minified string. */
export const cssText = {
  name: "css-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const { code } = await esbuild.transform(source, { loader: "css", minify: true, charset: "utf8" });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/** Bundle one of `bundles`; returns the size in bytes. */
async function bundle(name) {
  const { entry, outfile, ...settings } = bundles[name];
  const out = here(outfile);
  await mkdir(dirname(out), { recursive: true });
  await esbuild.build({
    entryPoints: [here(entry)],
    outfile: out,
    ...settings,
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "ascii", // text/html carries the player through front ends that guess the encoding
    legalComments: "none",
    plugins: [cssText],
  });
  const { size } = await stat(out);
  console.log(`${relative(here("."), out)}  ${(size / 1024).toFixed(1)} KB`);
  if (size > LIMIT) throw new Error(`${name} is ${size} bytes, more than the ${LIMIT} allowed`);
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
