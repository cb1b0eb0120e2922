// The trace as it travels (JSON), under the names that the player uses, and the check that it is one.
//
// Read next: timeline.ts.

import { isObject } from "./merge";
import type { Equation, Event, GraphLabTrace, Scene, State } from "./schema";

export type {
  EdgeInfo,
  Equation,
  Event,
  Graph,
  Group,
  LeafWritten,
  Mark,
  NodeInfo,
  RuleApplied,
  Saved,
  Scene,
  Source,
  State,
  TensorInfo,
  Value,
} from "./schema";
export type Trace = GraphLabTrace;
export type Span = Equation["symbols"][number];
export type Granularity = Event["level"];

export const MIME_TYPE = "application/vnd.graphlab.v1+json";
export const GRANULARITIES: readonly Granularity[] = ["story", "node", "micro"];
const VERSION = 1;
const NOTHING: State = { status: {}, deps: {}, queue: [], held: 0, total: 0 };

/** A document that cannot be shown. Its message is a sentence for the person who opened it. */
export class TraceError extends Error {}

function damaged(path: string, expected: string, found: unknown): TraceError {
  const got =
    found === undefined
      ? "nothing"
      : found === null
        ? "null"
        : Array.isArray(found)
          ? "a list"
          : typeof found;
  return new TraceError(
    `This GraphLab trace is damaged: ${path} should be ${expected}, but it is ${got}. Make it again with graphlab.trace.`,
  );
}

function list(owner: { [key: string]: unknown }, key: string, path: string): unknown[] {
  const found = owner[key];
  if (!Array.isArray(found)) throw damaged(path, "a list", found);
  return found;
}

/** Check the parts of `data` that the player stands on; raises TraceError with a sentence to show. */
export function readTrace(data: unknown): Trace {
  let found = data;
  if (typeof found === "string") {
    try {
      found = JSON.parse(found);
    } catch {
      throw new TraceError(
        "This GraphLab trace is damaged: it is not complete JSON. Make it again with graphlab.trace.",
      );
    }
  }
  if (!isObject(found) || found.format !== "graphlab.trace") {
    throw new TraceError(
      'This is not a GraphLab trace: a trace is a JSON object whose "format" is "graphlab.trace".',
    );
  }
  if (typeof found.version !== "number") throw damaged("version", "a number", found.version);
  if (found.version > VERSION) {
    throw new TraceError(
      `This trace was made by a newer GraphLab (trace version ${found.version}; this player reads version ${VERSION}). ` +
        "Update graphlab to play it.",
    );
  }
  if (!isObject(found.graph)) throw damaged("graph", "an object", found.graph);
  for (const part of ["tensors", "nodes", "edges"]) {
    for (const [k, item] of list(found.graph, part, `graph.${part}`).entries()) {
      if (!isObject(item) || typeof item.id !== "string")
        throw damaged(`graph.${part}[${k}]`, "an object with an id", item);
    }
  }
  for (const [k, event] of list(found, "events", "events").entries()) {
    if (!isObject(event) || typeof event.kind !== "string") throw damaged(`events[${k}]`, "an event", event);
    if (!GRANULARITIES.includes(event.level as Granularity)) {
      throw damaged(`events[${k}].level`, '"story", "node" or "micro"', event.level);
    }
    if (!isObject(event.patch)) throw damaged(`events[${k}].patch`, "an object", event.patch);
  }
  for (const [k, scene] of list({ scenes: [], ...found }, "scenes", "scenes").entries()) {
    if (!isObject(scene) || typeof scene.width !== "number" || typeof scene.height !== "number") {
      throw damaged(`scenes[${k}]`, "a drawing with a width and a height", scene);
    }
    for (const [g, group] of list(scene, "groups", `scenes[${k}].groups`).entries()) {
      if (!isObject(group) || !Array.isArray(group.marks))
        throw damaged(`scenes[${k}].groups[${g}]`, "a group of marks", group);
    }
  }
  const events = (found.events as Event[]).map((event) => ({
    ...event,
    caption: Array.isArray(event.caption) ? event.caption : [],
    focus: Array.isArray(event.focus) ? event.focus : [],
  }));
  const initial = { ...NOTHING, ...(isObject(found.initial) ? found.initial : {}) };
  const scenes = (found.scenes ?? []) as Scene[];
  const title = typeof found.title === "string" ? found.title : "";
  return { ...(found as unknown as Trace), title, initial, events, scenes };
}
