// Asks a kernel for its tensors without a cell, an output or a line in the history. No code of the user runs.
//
// A request is an empty execution whose `user_expressions` call graphlab/faces/panel.py. The expression
// looks into sys.modules first, so a kernel that has not imported GraphLab does not import it for this.
//
// Read next: lab/table.ts.

import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel } from "@jupyterlab/services";
import { isObject } from "../merge";
import type { Settings } from "./settings";

/** A row of the table, as graphlab/adapters/native/inspector.py writes it. */
export interface Row {
  name: string;
  code: string; // an expression for the tensor: "net.get_parameter('0.weight')"
  mark: string; // changes when the variable holds another tensor, or its tensor is changed in place
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
  module: string | null; // the name of graphlab in the notebook
  rows: Row[];
  unseen: number;
  last: string | null; // the code of the newest tensor
}

export interface Drawn {
  said: string;
  document: unknown;
  walk?: boolean;
}

/** A table, or a sentence that says why there is none. */
export type Reading = { table: Table } | { said: string };

export const SAID = {
  noNotebook: "Open a notebook to see its tensors here.",
  noKernel: "This notebook has no kernel: choose one (Kernel menu, Change Kernel…) and run a cell.",
  starting: "The kernel is starting.",
  restarting: "The kernel is restarting and holds no tensors yet.",
  dead: "The kernel has died and its tensors are lost: restart it (Kernel menu) and run the cells again.",
  away: "The connection to the kernel is lost, so its tensors cannot be read.",
  notPython: (language: string) =>
    `This kernel runs ${language}. GraphLab's tensors exist only in Python kernels.`,
  notLoaded: "GraphLab is not loaded in this kernel: run `import graphlab`.",
  notInstalled:
    "GraphLab is not installed in this kernel's Python: run `%pip install graphlab`, then `import graphlab`.",
  tooOld:
    "The GraphLab in this kernel is too old for the panel: update it (`%pip install -U graphlab`) and restart the kernel.",
  noAnswer: "This kernel does not answer the panel.",
  noResult: "There is no result yet: run a cell that computes something from a leaf.",
  noTabs: "This page has no tabs: step through the tensor here, and make the panel wider.",
  noTensors: "No variable of this notebook holds a tensor yet: run a cell that makes one.",
  busy: "The kernel is busy: the table may be out of date.",
  busyGraph: "The kernel is busy: the graph will be drawn when it is idle.",
  busyFirst: "The kernel is busy: its tensors will be listed when it is idle.",
};

const LOADED = '__import__("sys").modules.get("graphlab") is not None';
const INSTALLED = '__import__("importlib.util", fromlist=["find_spec"]).find_spec("graphlab") is not None';

function call(name: string, ...args: string[]): string {
  // a JSON string is also a Python string: quotes, backslashes and \u escapes mean the same
  const written = args.map((arg) => JSON.stringify(arg)).join(", ");
  return `__import__("graphlab.faces.panel", fromlist=["${name}"]).${name}(${written})`;
}

function guarded(question: string): string {
  return `${question} if ${LOADED} else "idle" if ${INSTALLED} else "absent"`;
}

/** The language of a kernel; undefined for Python. */
export async function foreignLanguage(kernel: Kernel.IKernelConnection): Promise<string | undefined> {
  const { language_info } = await kernel.info;
  return language_info.name === "python" ? undefined : language_info.name;
}

/**
 * Why a session cannot be asked; undefined when it can, now or once it is idle.
 *
 * had: whether the session had a kernel before. Then a missing kernel is gone; otherwise it is starting.
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

/** Asks a kernel, and remembers its own messages, so that they are not taken for cells. */
export class Asker {
  readonly #own = new Set<string>();

  /** Whether a message belongs to a question of the panel. */
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

  /** The data that answers a question, or a sentence that says why there is none. */
  async #ask(
    kernel: Kernel.IKernelConnection,
    question: string,
  ): Promise<{ [name: string]: unknown } | string> {
    const future = kernel.requestExecute({
      code: "",
      silent: true,
      store_history: false,
      allow_stdin: false,
      stop_on_error: false, // an error in this question does not cancel the cells that wait
      user_expressions: { graphlab: guarded(question) },
    });
    const id = future.msg.header.msg_id;
    this.#own.add(id);
    try {
      const { content } = await future.done;
      return read(content.status === "ok" ? content.user_expressions?.graphlab : undefined);
    } catch {
      return kernel.status === "dead" ? SAID.dead : SAID.restarting; // the kernel has gone meanwhile
    } finally {
      setTimeout(() => this.#own.delete(id), 2000); // its last "idle" message may still arrive
    }
  }
}

function read(answer: unknown): { [name: string]: unknown } | string {
  if (!isObject(answer)) return SAID.noAnswer;
  if (answer.status === "error") {
    const old = answer.ename === "ModuleNotFoundError" || answer.ename === "AttributeError";
    return old ? SAID.tooOld : `The kernel reports an error: ${String(answer.evalue)}`;
  }
  const data = isObject(answer.data) ? answer.data : {};
  if (isObject(data["application/json"])) return data["application/json"];
  const word = data["text/plain"];
  if (word === "'idle'") return SAID.notLoaded;
  return word === "'absent'" ? SAID.notInstalled : SAID.noAnswer;
}
