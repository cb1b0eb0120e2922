// Compile src/ against JupyterLab's own types instead of src/lab/jupyterlab.d.ts: `npm run check:jupyterlab`.
//
// It fetches the packages with the types, without their dependencies, into a temporary folder. Run it when
// jupyterlab.d.ts changes or a new JupyterLab is released. It is not a part of `npm run check`.
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const LAB = "application apputils cells docmanager docregistry nbformat notebook rendermime".split(" ");
const MORE = "settingregistry statedb translation ui-components".split(" ");
const PACKAGES = [
  ...[...LAB, ...MORE].map((name) => `@jupyterlab/${name}@4`),
  "@jupyterlab/services@7",
  "@jupyterlab/coreutils@6",
  "@lumino/application@2",
];

function run(program, args, cwd) {
  const { status } = spawnSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (status) process.exit(status);
}

const folder = await mkdtemp(join(tmpdir(), "jupyterlab-types-"));
try {
  for (const wanted of PACKAGES) {
    const name = wanted.slice(0, wanted.lastIndexOf("@"));
    const place = join(folder, "node_modules", name);
    await mkdir(place, { recursive: true });
    run("npm", ["pack", "--silent", wanted], folder);
    const [file] = (await readdir(folder)).filter((entry) => entry.endsWith(".tgz"));
    console.log(file);
    run("tar", ["xzf", file, "-C", place, "--strip-components", "1"], folder);
    await rm(join(folder, file));
  }
  for (const name of [
    "@types",
    ...(await readdir(here("node_modules/@lumino"))).map((one) => `@lumino/${one}`),
  ]) {
    await symlink(here(`node_modules/${name}`), join(folder, "node_modules", name)).catch(() => {});
  }
  const interfaces = "node_modules/@jupyterlab/rendermime-interfaces";
  await symlink(here(interfaces), join(folder, interfaces));
  await cp(here("src"), join(folder, "src"), { recursive: true });
  await rm(join(folder, "src/lab/jupyterlab.d.ts"));
  const settings = { extends: here("tsconfig.json"), include: ["src"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  run(here("node_modules/.bin/tsc"), ["--noEmit", "-p", folder], folder);
  console.log("src/ fits JupyterLab's own types");
} finally {
  await rm(folder, { recursive: true, force: true });
}
