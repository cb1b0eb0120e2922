// What the panel asks of a kernel, silently: no cell, no output, no history, and nothing of the user's is run.
//
// A request is an empty execution whose `user_expressions` call graphlab/faces/panel.py. A kernel that has not
// imported GraphLab is not made to: the expression looks into sys.modules first.
//
// Read next: follow.ts.

import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel } from "@jupyterlab/services";
import { isObject } from "../merge";
import type { Settings } from "./settings";

/** A row of the table, as graphlab/adapters/inspector.py writes it. */
export interface Row {
  name: string;
  code: string; // what gives the tensor in the notebook: "net.get_parameter('0.weight')"
  mark: string; // differs when the variable holds another tensor, or it was changed in place
  value: string;
  shape: number[];
  dtype: string;
  is_leaf: boolean;
  requires_grad: boolean;
  grad_fn: string | null;
  version: number | null;
  grad: string | null;
  retains_grad: boolean;
}

export interface Table {
  module: string | null; // the notebook's name for graphlab
  rows: Row[];
  unseen: number;
  last: string | null; // the code of the tensor made last
}

export interface Drawn {
  said: string;
  document: unknown;
  walk?: boolean;
}

/** What there is to show: a table, or why there is none. */
export type Reading = { table: Table } | { said: string };

export const SAID = {
  noNotebook: "Open a notebook, and the tensors in its kernel are listed here.",
  noKernel: "This notebook has no kernel: choose one (Kernel menu, Change Kernel…) and run a cell.",
  starting: "The kernel is starting.",
  restarting: "The kernel is restarting: it holds no tensors yet.",
  dead: "The kernel has died, and its tensors with it: restart it (Kernel menu) and run the cells again.",
  away: "The connection to the kernel is lost: what it holds cannot be read.",
  notPython: (language: string) =>
    `This kernel speaks ${language}, not Python: GraphLab's tensors live in Python kernels.`,
  notLoaded: "This kernel has no GraphLab loaded: run `import graphlab`.",
  notInstalled:
    "GraphLab is not installed in this kernel's Python: run `%pip install graphlab`, then `import graphlab`.",
  tooOld:
    "The GraphLab in this kernel does not know the panel: update it (`%pip install -U graphlab`) and restart the kernel.",
  noAnswer: "This kernel does not answer the panel's questions.",
  noResult: "There is no result yet: run a cell that computes something from a leaf.",
  noTabs: "This page has no tabs: walk it here, and draw the panel wider.",
  noTensors: "No variable of this notebook holds a tensor yet: run a cell that makes one.",
  busy: "The kernel is busy: this is how it was before.",
  busyGraph: "The kernel is busy: the graph is drawn when it is done.",
  busyFirst: "The kernel is busy: its tensors are listed when it is done.",
};

const LOADED = '__import__("sys").modules.get("graphlab") is not None';
const INSTALLED = '__import__("importlib.util", fromlist=["find_spec"]).find_spec("graphlab") is not None';

function call(name: string, ...args: string[]): string {
  // JSON's strings are Python's: quotes, backslashes and \u escapes read the same
  const written = args.map((arg) => JSON.stringify(arg)).join(", ");
  return `__import__("graphlab.faces.panel", fromlist=["${name}"]).${name}(${written})`;
}

function guarded(question: string): string {
  return `${question} if ${LOADED} else "idle" if ${INSTALLED} else "absent"`;
}

/** The language of a kernel that cannot hold tensors; undefined for Python. */
export async function foreignLanguage(kernel: Kernel.IKernelConnection): Promise<string | undefined> {
  const { language_info } = await kernel.info;
  return language_info.name === "python" ? undefined : language_info.name;
}

/**
 * Why a session cannot be asked at all; undefined when it can, now or once it is idle.
 *
 * had: whether it has had a kernel, so that one that is not there is gone, not on its way.
 */
export function whyNot(session: ISessionContext | undefined, had = false): string | undefined {
  if (!session) return SAID.noNotebook;
  const kernel = session.session?.kernel;
  const status = kernel?.status ?? "unknown";
  if (status === "dead" || session.kernelDisplayStatus === "dead") return SAID.dead;
  if (!kernel || session.hasNoKernel) return session.isReady || had ? SAID.noKernel : SAID.starting;
  if (status === "restarting" || status === "autorestarting") return SAID.restarting;
  if (session.kernelDisplayStatus === "disconnected") return SAID.away;
  if (status === "starting" || !session.isReady) return SAID.starting;
  return undefined;
}

/** Asks one kernel; remembers which messages were its own, so that nobody takes them for a cell. */
export class Asker {
  readonly #own = new Set<string>();

  /** Whether a message belongs to a question of the panel's. */
  isOwn(id: string | undefined): boolean {
    return id !== undefined && this.#own.has(id);
  }

  async table(kernel: Kernel.IKernelConnection): Promise<Reading> {
    const answer = await this.#ask(kernel, call("look"));
    if (typeof answer === "string") return { said: answer };
    return { table: answer as unknown as Table };
  }

  draw(kernel: Kernel.IKernelConnection, code: string, view: Settings["view"]): Promise<Drawn> {
    return this.#drawn(kernel, call("draw", code, view));
  }

  walk(kernel: Kernel.IKernelConnection, code: string): Promise<Drawn> {
    return this.#drawn(kernel, call("walk", code));
  }

  async #drawn(kernel: Kernel.IKernelConnection, question: string): Promise<Drawn> {
    const answer = await this.#ask(kernel, question);
    return typeof answer === "string" ? { said: answer, document: null } : (answer as unknown as Drawn);
  }

  /** The data that a question gives, or a sentence. */
  async #ask(
    kernel: Kernel.IKernelConnection,
    question: string,
  ): Promise<{ [name: string]: unknown } | string> {
    const future = kernel.requestExecute({
      code: "",
      silent: true,
      store_history: false,
      allow_stdin: false,
      stop_on_error: false, // what waits in the queue is not given up for a question of ours
      user_expressions: { graphlab: guarded(question) },
    });
    const id = future.msg.header.msg_id;
    this.#own.add(id);
    try {
      const { content } = await future.done;
      return read(content.status === "ok" ? content.user_expressions?.graphlab : undefined);
    } catch {
      return kernel.status === "dead" ? SAID.dead : SAID.restarting; // the kernel went away meanwhile
    } finally {
      setTimeout(() => this.#own.delete(id), 2000); // its last "idle" may still be on the way
    }
  }
}

function read(answer: unknown): { [name: string]: unknown } | string {
  if (!isObject(answer)) return SAID.noAnswer;
  if (answer.status === "error") {
    const old = answer.ename === "ModuleNotFoundError" || answer.ename === "AttributeError";
    return old ? SAID.tooOld : `The kernel could not say: ${String(answer.evalue)}`;
  }
  const data = isObject(answer.data) ? answer.data : {};
  if (isObject(data["application/json"])) return data["application/json"];
  const word = data["text/plain"];
  if (word === "'idle'") return SAID.notLoaded;
  return word === "'absent'" ? SAID.notInstalled : SAID.noAnswer;
}
