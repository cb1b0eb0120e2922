// A program in scopes, made of the lesson: e = u + v, and what u and v are made of lies two scopes down.
//
// "net" holds "net.left" (u = a*b) and "net.right" (v = c*log(d)); both cards are in the scene of "net".

import type { Group, Scene, Trace } from "../src/trace.ts";
import { lesson, smallScene } from "./page.ts";

const SCOPES: { [node: string]: string } = { n5: "net.left", n1: "net.right", n3: "net.right" };

function card(scope: string, label: string): Group {
  return {
    id: `@${scope}`,
    kind: "scope",
    title: `scope ${label}`,
    marks: [
      { m: "rect", c: "card", x: 0, y: 0, w: 160, h: 60 },
      { m: "text", c: "title", x: 5, y: 10, t: label },
      { m: "rect", c: "track", x: 5, y: 40, w: 100, h: 4 },
      { m: "text", c: "count", x: 5, y: 50, t: "", slot: "progress" },
    ],
  };
}

/** The lesson in scopes; with `whole`, it can be shown in full as well. */
export function nested({ whole = false, name = "net" } = {}): Trace {
  const trace = lesson();
  const nodes = trace.graph.nodes.map((node) => ({
    ...node,
    scope: SCOPES[node.id]?.replace("net", name) ?? "",
  }));
  const all = smallScene(trace);
  const only = (...ids: string[]) => all.groups.filter(({ id }) => ids.includes(id));
  const scene = (scope: string, groups: Group[]): Scene => ({ ...all, scope, groups });
  const gone: Group = { id: "~@net.left>n0", kind: "flow", title: "", marks: [], members: ["n0.0"] };
  const scenes = [
    scene("", [...only("n0", "t7"), card(name, "the net")]),
    scene(name, [...only("t2", "t6"), gone, card(`${name}.left`, "left"), card(`${name}.right`, "right")]),
    scene(`${name}.left`, only("n5", "t0", "t1", "n5.0", "n5.1")),
    scene(`${name}.right`, only("n1", "n3", "t3", "t4", "t5", "n1.0", "n1.1", "n3.0")),
  ];
  return {
    ...trace,
    graph: { ...trace.graph, nodes },
    scenes: whole ? [all, ...scenes] : scenes,
  };
}
