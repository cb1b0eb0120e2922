// The core and the extras as two expressions, from what esbuild has split.
//
// Read next: packing.mjs.

/** Pairs of a list of names: "a as b, c" is [["a", "b"], ["c", "c"]]. */
const pairs = (list) =>
  list.split(",").map((one) => {
    const [name, other = name] = one.trim().split(" as ");
    return [name, other];
  });

/** The match of `pattern` in a file, which must be there once. */
function only(file, pattern) {
  const found = [...file.text.matchAll(pattern)];
  if (found.length !== 1) throw new Error(`${file.path}: ${found.length} of ${pattern}, in place of 1`);
  return found[0];
}

/**
 * JavaScript for the list of what the core exports, the widget first, and for a function of it that gives the default export of the extras.
 * outputFiles: esbuild's, of the entries `core` and `extras`, of which the second imports the first, so that all of
 * the first is in a third file, which both import.
 */
export function coreAndExtras(outputFiles) {
  const [shared, core, extras] = [/chunk-\w+\.js$/, /core\.js$/, /extras\.js$/].map((name) => {
    const found = outputFiles.filter(({ path }) => name.test(path));
    if (found.length !== 1) throw new Error(`esbuild made ${found.length} files like ${name}, in place of 1`);
    return found[0];
  });
  const [, imported] = only(core, /^import\{([^}]*)\}from"[^"]*";export\{[^}]*\};\n$/g);
  const [, exported] = only(core, /export\{([^}]*)\}/g);
  const local = pairs(exported).find(([, name]) => name === "default")?.[0];
  const widget = pairs(imported).find(([, name]) => name === local)?.[0];

  const end = only(shared, /export\{([^}]*)\};\n$/g);
  const given = pairs(end[1]); // as a list: it is shorter than an object
  const start = only(extras, /^import\{([^}]*)\}from"[^"]*";/g);
  const taken = new Map(pairs(start[1]));
  const last = only(extras, /export\{(\S+) as default\};\n$/g);
  const names = given.filter(([, name]) => name !== widget);
  const [[render]] = given.filter(([, name]) => name === widget);
  return [
    `(()=>{${shared.text.slice(0, end.index)}return[${[render, ...names.map(([name]) => name)]}]})()`,
    `(([,${names.map(([, name]) => taken.get(name))}])=>{${extras.text.slice(start[0].length, last.index)}return ${last[1]}})`,
  ];
}
