// Which npm packages have code in a bundle, and whether the page of licences names them.

/** The packages of which code is in a bundle. metafile: esbuild's. */
export function packagesIn(metafile) {
  const found = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const inside = path.split("node_modules/").at(-1);
    if (inside !== path) found.add(inside.match(/^(@[^/]+\/)?[^/]+/)[0]);
  }
  return [...found].sort();
}

/** Those of them that a text does not name in backquotes. */
export function unnamed(metafile, text) {
  return packagesIn(metafile).filter((name) => !text.includes(`\`${name}\``));
}
