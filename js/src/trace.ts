// The types of a trace, which travels as JSON, and the check that a document is one.
//
// Read next: timeline.ts.

import { documentIn } from "./columns";
import { walked } from "./forward";
import { inflate } from "./inflate";
import { isObject } from "./merge";
import { retold, type Texts } from "./redrawing";
import type { Equation, Event, Graph, GraphLabTrace, Opening, Pass, Scene, State } from "./schema";

export type {
  EdgeInfo,
  Equation,
  Event,
  Graph,
  Group,
  LeafWritten,
  Mark,
  NodeInfo,
  Opening,
  Pass,
  Product,
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
const VERSION = 3;
const DEEPEST = 60; // lists within lists
const MOST_EVENTS = 100_000; // as in graph/event_log.py; the rest is left out, with a notice
const NOTHING: State = { status: {}, deps: {}, queue: [], held: 0, total: 0 };

/** A document that cannot be shown. The message is a sentence for the person who opened it. */
export class TraceError extends Error {}

const broken = (why: string) =>
  new TraceError(`This GraphLab trace is damaged: ${why}. Make it again with graphlab.trace.`);

function damaged(path: string, expected: string, found: unknown): TraceError {
  const got = Array.isArray(found)
    ? "a list"
    : found === null
      ? "null"
      : found === undefined
        ? "nothing"
        : typeof found;
  return broken(`${path} should be ${expected}, but it is ${got}`);
}

function list(owner: { [key: string]: unknown }, key: string, path: string): unknown[] {
  const found = owner[key];
  if (!Array.isArray(found)) throw damaged(path, "a list", found);
  return found;
}

type Document = { [key: string]: unknown };

/** The object in `data`, which says that it is a trace that this player reads. */
export function opened(data: unknown): Document {
  let found = data;
  if (typeof found === "string") {
    try {
      found = JSON.parse(found);
    } catch {
      throw broken("it is not complete JSON");
    }
  }
  if (!isObject(found) || found.format !== "graphlab.trace") {
    throw new TraceError(
      'This is not a GraphLab trace: a trace is a JSON object whose "format" is "graphlab.trace".',
    );
  }
  if (typeof found.version !== "number") throw damaged("version", "a number", found.version);
  if (found.version !== VERSION) {
    const [who, then] =
      found.version > VERSION
        ? ["a newer GraphLab", "Update graphlab to play it."]
        : ["a GraphLab before its first release", "Run the cell that made it again."];
    throw new TraceError(
      `This trace was made by ${who} (trace version ${found.version}; this player reads version ${VERSION}). ${then}`,
    );
  }
  return found;
}

/**
 * The document in the compressed part of another; rejects with a TraceError. An explorer sends the drawings
 * apart, while only their texts change (graphlab/faces/render/steady_scenes.py).
 */
export async function decompressed({ gzip, drawing }: Document): Promise<unknown> {
  if (typeof gzip !== "string") throw damaged("gzip", "a text", gzip);
  if (typeof DecompressionStream === "undefined")
    throw new TraceError("This browser is too old to play the trace: it cannot decompress it.");
  return inflate(gzip)
    .then(documentIn)
    .then((found) => (drawing ? drawnAs(found as Document, drawing as Drawing) : found))
    .catch((error) => {
      throw broken(`its compressed part cannot be read (${error instanceof Error ? error.message : error})`);
    });
}

type Drawing = { gzip: string };
const drawings = new WeakMap<Drawing, Promise<Scene[]>>(); // the drawings that were decompressed

/** `found` with the scenes of `drawing`, in which some groups have other texts. */
async function drawnAs(found: Document, drawing: Drawing): Promise<unknown> {
  const known = drawings.get(drawing) ?? inflate(drawing.gzip).then((text): Scene[] => JSON.parse(text));
  drawings.set(drawing, known);
  const texts = found.texts as Texts[][];
  const scenes = (await known).map((scene, k) => retold(scene, texts[k]));
  return { ...found, scenes };
}

function checkDepth(thing: unknown, depth = 0): void {
  if (typeof thing !== "object" || thing === null) return;
  if (depth > DEEPEST) throw broken("it is nested too deeply");
  for (const key in thing) checkDepth((thing as Document)[key], depth + 1);
}

/** Every edge leads to a later node of the list, so the graph has no cycle. */
function checkOrder(nodes: readonly unknown[], edges: readonly unknown[]): void {
  const place = new Map(nodes.map((node, k) => [(node as Graph["nodes"][number]).id, k]));
  for (const [k, edge] of (edges as Graph["edges"]).entries()) {
    const [from, to] = [place.get(edge.source), place.get(edge.target)];
    if (from === undefined || to === undefined || to <= from)
      throw damaged(`graph.edges[${k}]`, "an edge to a later node", edge.target);
  }
}

/** Check the parts of `data` that the player needs. Raises TraceError with a sentence to show. */
export function readTrace(data: unknown): Trace {
  const found = opened(data);
  if (!isObject(found.graph)) throw damaged("graph", "an object", found.graph);
  for (const part of ["tensors", "nodes", "edges"]) {
    for (const [k, item] of list(found.graph, part, `graph.${part}`).entries()) {
      if (!isObject(item) || typeof item.id !== "string")
        throw damaged(`graph.${part}[${k}]`, "an object with an id", item);
    }
  }
  checkOrder(list(found.graph, "nodes", ""), list(found.graph, "edges", ""));
  const listed = list(found, "events", "events");
  const count = listed.length > MOST_EVENTS ? listed.length : 0; // 0: none is left out
  const kept = listed.slice(0, MOST_EVENTS);
  checkDepth({ ...found, events: kept, forward: [] });
  const events = eventsIn(kept, "events");
  checkScenes(found, "scenes");
  let least = 0;
  for (const [p, one] of list({ passes: [], ...found }, "passes", "passes").entries()) {
    const path = `passes[${p}]`;
    if (!isObject(one)) throw damaged(path, "an object", one);
    if (!Number.isInteger(one.first) || (one.first as number) < least)
      throw damaged(`${path}.first`, `an integer from ${least} on`, one.first);
    least = (one.first as number) + 1;
    checkScenes(one, `${path}.scenes`);
    checkLike(one, list(found, "passes", "passes"), p, path);
  }
  for (const [k, one] of list({ causes: [], ...found }, "causes", "causes").entries())
    if (!isObject(one)) throw damaged(`causes[${k}]`, "an object", one);
  const initial = { ...NOTHING, ...(isObject(found.initial) ? found.initial : {}) };
  const scenes = (found.scenes ?? []) as Scene[];
  const title = typeof found.title === "string" ? found.title : "";
  // passes of events that were left out are not shown
  const told = ((found.passes ?? []) as Pass[]).filter(({ first }) => !count || first < events.length);
  const passes = told.map((one) => ({
    ...one,
    title: String(one.title ?? ""),
    scenes: one.scenes ?? [],
  }));
  const notice = count ? cut(count) : typeof found.notice === "string" ? found.notice : "";
  const forward = forwardIn(found, events.length);
  checkQuestions(
    found,
    forward.reduce((sum, part) => sum + part.events.length, events.length),
    count > 0,
  );
  const parts = { title, notice, initial, events, scenes, passes, forward, walks_forward: false };
  const trace = walked({ ...(found as unknown as Trace), ...parts }, found.walks_forward === true);
  return found.opening ? { ...trace, opening: openingIn(found, trace.events.length, count > 0) } : trace;
}

/** How the player opens; `less`: of events that were left out, the last that was kept is shown. */
function openingIn({ opening }: Document, count: number, less: boolean): Opening {
  if (!isObject(opening)) throw damaged("opening", "an object", opening);
  const { step, predicting, granularity, view } = opening as unknown as Opening;
  if (!Number.isInteger(step) || step < 0 || (step >= count && !less))
    throw damaged("opening.step", `an integer from 0 to ${count - 1}`, step);
  if (granularity && !GRANULARITIES.includes(granularity))
    throw damaged("opening.granularity", '"story", "node" or "micro"', granularity);
  return {
    step,
    predicting: predicting === true,
    ...(granularity && { granularity }),
    ...(view && { view }),
  };
}

/** `less`: questions about events that were left out are left alone. */
function checkQuestions(found: Document, count: number, less: boolean): void {
  for (const [k, one] of list({ questions: [], ...found }, "questions", "questions").entries()) {
    const path = `questions[${k}]`;
    if (!isObject(one)) throw damaged(path, "an object", one);
    const { at, text, sealed, choices = [] } = one;
    if (!Number.isInteger(at) || (at as number) < 0 || ((at as number) >= count && !less))
      throw damaged(`${path}.at`, `an integer from 0 to ${count - 1}`, at);
    if (typeof text !== "string" || typeof sealed !== "string" || !Array.isArray(choices))
      throw damaged(path, "a question", one);
  }
}

function cut(count: number): string {
  const [all, kept] = [count, MOST_EVENTS].map((many) => many.toLocaleString("en"));
  return `This recording has ${all} events; only the first ${kept} are kept. Record a smaller part to see the others.`;
}

/** The events in `listed`, which stands at `path`. */
function eventsIn(listed: readonly unknown[], path: string): Event[] {
  return listed.map((event, k) => {
    if (!isObject(event) || typeof event.kind !== "string") throw damaged(`${path}[${k}]`, "an event", event);
    if (!GRANULARITIES.includes(event.level as Granularity)) {
      throw damaged(`${path}[${k}].level`, '"story", "node" or "micro"', event.level);
    }
    if (!isObject(event.patch)) throw damaged(`${path}[${k}].patch`, "an object", event.patch);
    const { caption, focus } = event;
    const told = { caption: Array.isArray(caption) ? caption : [], focus: Array.isArray(focus) ? focus : [] };
    return { ...event, ...told } as unknown as Event;
  });
}

/** The forward passes, in order; those of events that were left out are left out, too. */
function forwardIn(found: Document, count: number): NonNullable<Trace["forward"]> {
  const parts: NonNullable<Trace["forward"]> = [];
  let least = 0;
  let room = MOST_EVENTS;
  for (const [k, part] of list({ forward: [], ...found }, "forward", "forward").entries()) {
    const path = `forward[${k}]`;
    if (!isObject(part)) throw damaged(path, "an object", part);
    const { before } = part;
    const listed = list(part, "events", `${path}.events`);
    if (!Number.isInteger(before) || (before as number) < least)
      throw damaged(`${path}.before`, `an integer from ${least} on`, before);
    room -= listed.length;
    if ((before as number) >= count || room < 0) break;
    checkDepth(listed);
    parts.push({ before: before as number, events: eventsIn(listed, `${path}.events`) });
    least = (before as number) + 1;
  }
  return parts;
}

/** A pass may be drawn like an earlier one, which has scenes, with other texts. */
function checkLike({ like, texts, ids }: Document, passes: unknown[], p: number, path: string): void {
  if (like === undefined) return;
  const { scenes } = ((Number(like) < p && passes[like as number]) || {}) as Partial<Pass>;
  if (!scenes) throw damaged(`${path}.like`, "the index of an earlier pass with drawings", like);
  const told = (all: unknown, k: number) =>
    Array.isArray(all) && all.every((one) => Array.isArray(one) && scenes[k]?.groups[one[0]]);
  if (!isObject(ids) || !Array.isArray(texts) || !texts.every(told))
    throw damaged(`${path}.texts`, "the texts of groups", texts);
}

function checkScenes(owner: { [key: string]: unknown }, path: string): void {
  for (const [k, scene] of list({ scenes: [], ...owner }, "scenes", path).entries()) {
    if (!isObject(scene) || typeof scene.width !== "number" || typeof scene.height !== "number") {
      throw damaged(`${path}[${k}]`, "a drawing with a width and a height", scene);
    }
    for (const [g, group] of list(scene, "groups", `${path}[${k}].groups`).entries()) {
      if (!isObject(group) || !Array.isArray(group.marks))
        throw damaged(`${path}[${k}].groups[${g}]`, "a group of marks", group);
    }
  }
}
