// A page to test on (happy-dom), and the fixtures that Python replays too.

import { readdirSync, readFileSync } from "node:fs";
import { Window } from "happy-dom";
import type { Scene, State, Trace } from "../src/trace.ts";

const FIXTURES = new URL("../../../tests/fixtures/", import.meta.url); // from lib/test, where tests are built

/** Replaces the globals that the player uses by those of a new, empty page; returns its body. */
export function newPage(): HTMLElement {
  const window = new Window({ url: "http://localhost/", width: 1200, height: 800 });
  const globals = [
    "document",
    "Document",
    "HTMLElement",
    "SVGPathElement",
    "SVGElement",
    "Element",
    "Node",
    "MutationObserver",
    "matchMedia",
    "getComputedStyle",
    "CSS",
    "requestAnimationFrame",
    "cancelAnimationFrame",
    "ShadowRoot",
    "XMLSerializer",
    "KeyboardEvent",
    "MouseEvent",
    "Event",
  ];
  for (const name of globals) {
    const found = (window as unknown as { [name: string]: unknown })[name];
    const bound = typeof found === "function" && /^[a-z]/.test(name) ? found.bind(window) : found;
    Object.defineProperty(globalThis, name, { value: bound, configurable: true, writable: true });
  }
  return document.body;
}

/** The lesson: e = a*b + c*log(d), with the drawing of `smallScene` when the fixture has none. */
export function lesson(): Trace {
  const trace = fixture("lesson.json");
  return { ...trace, scenes: trace.scenes.length ? trace.scenes : [smallScene(trace)] };
}

/** The recorded training loop; the drawing of each pass says which one it is by its width. */
export function training(): Trace {
  const trace = fixture("training.json");
  const passes = (trace.passes ?? []).map((one, at) => ({
    ...one,
    scenes: [{ ...smallScene(trace), width: 401 + at }],
  }));
  return { ...trace, passes };
}

export interface Fixture extends Trace {
  /** The state after each event, when the fixture was written with them. */
  states?: State[];
  /** What Python's pictures say of gradients after each event, by tensor; absent: not yet known. */
  cards?: { [tensor: string]: string }[];
}

export function fixture(name: string): Fixture {
  return JSON.parse(readFileSync(new URL(name, FIXTURES), "utf8")) as Fixture;
}

/** Every fixture that is a whole trace. */
export function traceFixtures(): string[] {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith(".json"));
  return names.filter((name) => fixture(name).format === "graphlab.trace");
}

/** One circle per operation, one card per tensor, one flow per edge: enough to test on, not to look at. */
export function smallScene({ graph }: Trace): Scene {
  const tensors = graph.tensors.map(({ id, name }, at): Scene["groups"][number] => ({
    id,
    kind: "tensor",
    title: `tensor ${name}`,
    marks: [
      { m: "rect", c: "card", x: 0, y: at * 60, w: 80, h: 50 },
      { m: "text", c: "name", x: 5, y: at * 60, t: String(name) },
      { m: "text", c: "grad", x: 5, y: at * 60, t: "not yet", slot: "grad" },
    ],
  }));
  const nodes = graph.nodes.filter(({ variable }) => !variable);
  const ops = nodes.map(({ id, name, symbol }, at): Scene["groups"][number] => ({
    id,
    kind: "op",
    title: name,
    marks: [
      { m: "circle", c: "op", x: 200, y: at * 60, r: 18 },
      { m: "text", c: "symbol", x: 200, y: at * 60, t: symbol },
    ],
  }));
  const flows = graph.edges.map(({ id }, at): Scene["groups"][number] => ({
    id,
    kind: "flow",
    title: "",
    marks: [
      { m: "path", c: "flow", d: `M180 ${at * 30}L80 ${at * 30}` },
      { m: "text", c: "contribution", t: "", slot: "contribution" },
    ],
  }));
  const saved = nodes.flatMap((node) =>
    (node.saved ?? []).map((one): Scene["groups"][number] => ({
      id: `s:${node.id}.${one.name}`,
      kind: "saved",
      title: `${one.name} is saved`,
      marks: [{ m: "rect", c: "chip", x: 150, y: 0, w: 40, h: 14 }],
    })),
  );
  return { view: "both", width: 400, height: 500, groups: [...flows, ...saved, ...tensors, ...ops] };
}
