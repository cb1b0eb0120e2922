// Generated from graphlab/graph/trace.schema.json by `npm run schema`. Do not edit.

export type Event =
  | Seeded
  | NodeEntered
  | SavedUnpacked
  | RuleApplied
  | Reduced
  | Accumulated
  | DependencyMet
  | Readied
  | LeafWritten
  | GradRetained
  | HookRan
  | SavedFreed
  | Finished
  | Failed;

export interface GraphLabTrace {
  format: "graphlab.trace";
  version: 1;
  generator: string;
  title: string;
  graph: Graph;
  initial: State;
  events: Event[];
  scenes: Scene[];
}
export interface Graph {
  /**
   * id of a tensor
   */
  root: string;
  tensors: TensorInfo[];
  nodes: NodeInfo[];
  edges: EdgeInfo[];
}
export interface TensorInfo {
  id: string;
  name: string | null;
  value: Value | null;
  is_leaf: boolean;
  requires_grad: boolean;
  retains_grad?: boolean;
  grad?: Value | null;
  version?: number;
  producer?: string | null;
  output_nr?: number;
}
export interface Value {
  shape: number[];
  dtype: string;
  text: string;
  rows?: string[][];
  nbytes?: number;
}
export interface NodeInfo {
  id: string;
  name: string;
  op: string;
  symbol: string;
  sequence: number;
  /**
   * Items: id of a tensor
   */
  inputs: string[];
  /**
   * Items: id of a tensor
   */
  outputs: string[];
  saved?: Saved[];
  source?: Source | null;
  variable?: string | null;
  formula?: string;
}
export interface Saved {
  name: string;
  value: Value | null;
  text?: string;
  tensor?: string | null;
  version_saved?: number;
  version_now?: number;
  nbytes?: number;
  freed?: boolean;
}
export interface Source {
  label: string;
  line: number;
  text: string;
  start?: number;
  end?: number;
}
export interface EdgeInfo {
  id: string;
  /**
   * id of a node
   */
  source: string;
  /**
   * id of a node
   */
  target: string;
  index: number;
  output_nr: number;
  /**
   * id of a tensor
   */
  tensor: string;
}
export interface State {
  current?: string;
  status: {
    [k: string]: "ready" | "current" | "done" | "failed";
  };
  deps: {
    [k: string]: number;
  };
  queue: string[];
  grads?: {
    [k: string]: Value;
  };
  edges?: {
    [k: string]: Value;
  };
  leaves?: {
    [k: string]: {
      before?: Value;
      added: Value;
      after: Value;
    };
  };
  freed?: {
    [k: string]: boolean;
  };
  held: number;
  total: number;
  finished?: boolean;
  error?: {
    message: string;
    node: string;
  };
}
export interface Seeded {
  kind: "Seeded";
  level: "story";
  /**
   * id of a tensor
   */
  tensor: string;
  /**
   * id of a node
   */
  node: string;
  name: string;
  value: Value;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface NodeEntered {
  kind: "NodeEntered";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  gradient: Value | null;
  /**
   * Items: id of a node
   */
  queue: string[];
  why: string;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface SavedUnpacked {
  kind: "SavedUnpacked";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  saved: string;
  text: string;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface RuleApplied {
  kind: "RuleApplied";
  level: "node";
  /**
   * id of a node
   */
  node: string;
  name: string;
  /**
   * id of an edge
   */
  edge: string;
  /**
   * id of a tensor
   */
  tensor: string;
  to: string;
  upstream: Value;
  contribution: Value;
  equation: Equation;
  phrase?: (string | [string, string])[];
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface Equation {
  symbols: (string | [string, string])[];
  numbers: (string | [string, string])[];
  note?: string;
}
export interface Reduced {
  kind: "Reduced";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  /**
   * id of an edge
   */
  edge: string;
  /**
   * id of a tensor
   */
  tensor: string;
  to: string;
  shape_before: number[];
  value: Value;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface Accumulated {
  kind: "Accumulated";
  level: "node" | "micro";
  /**
   * id of a node
   */
  node: string;
  /**
   * id of an edge
   */
  edge: string;
  /**
   * id of a tensor
   */
  tensor: string;
  to: string;
  before: Value | null;
  added: Value;
  after: Value;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface DependencyMet {
  kind: "DependencyMet";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  remaining: number;
  came?: boolean;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface Readied {
  kind: "Readied";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  /**
   * Items: id of a node
   */
  queue: string[];
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface LeafWritten {
  kind: "LeafWritten";
  level: "story";
  /**
   * id of a node
   */
  node: string;
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  before: Value | null;
  added: Value;
  after: Value;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface GradRetained {
  kind: "GradRetained";
  level: "story";
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  value: Value;
  before?: Value | null;
  after?: Value | null;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface HookRan {
  kind: "HookRan";
  level: "node";
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  before: Value | null;
  after: Value | null;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface SavedFreed {
  kind: "SavedFreed";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  nbytes: number;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface Finished {
  kind: "Finished";
  level: "story";
  leaves: number;
  message: string;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface Failed {
  kind: "Failed";
  level: "story";
  /**
   * id of a node
   */
  node: string;
  name: string;
  message: string;
  source?: Source | null;
  caption: (string | [string, string])[];
  focus: string[];
  patch: {};
}
export interface Scene {
  view: "both" | "backward" | "computation";
  width: number;
  height: number;
  groups: Group[];
}
export interface Group {
  id: string;
  kind: "tensor" | "op" | "wire" | "flow" | "saved";
  title: string;
  marks: Mark[];
}
export interface Mark {
  m: "rect" | "circle" | "path" | "text";
  c:
    | "card"
    | "divider"
    | "name"
    | "value"
    | "key"
    | "grad"
    | "op"
    | "symbol"
    | "title"
    | "caption"
    | "index"
    | "wire"
    | "head"
    | "flow"
    | "flowhead"
    | "contribution"
    | "chip"
    | "chipkey"
    | "chiptext";
  x?: number;
  y?: number;
  w?: number;
  h?: number;
  r?: number;
  d?: string;
  t?: string;
  a?: "start" | "middle" | "end";
  slot?: "" | "grad" | "contribution";
}
