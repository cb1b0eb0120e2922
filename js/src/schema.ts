// Generated from docs/trace.schema.json by `npm run schema`. Do not edit.

export type Event =
  | NodeEntered
  | SavedUnpacked
  | RuleApplied
  | Reduced
  | SavedFreed
  | Accumulated
  | DependencyMet
  | Readied
  | LeafWritten
  | GradRetained
  | HookRan
  | HookCalled
  | ForwardBegan
  | Computed
  | SavedKept
  | ForwardFinished
  | PassBegan
  | Seeded
  | GradReturned
  | Finished
  | Failed
  | GradCleared
  | GradReplaced
  | ChangedInPlace
  | OptimizerStepped;
export type Arg =
  | string
  | number
  | boolean
  | null
  | Arg[]
  | {
      f: "inf" | "-inf" | "nan";
    }
  | {
      text: string;
    }
  | {
      dtype: string;
    }
  | {
      slice: (number | null)[];
    }
  | {
      array: Numbers;
    }
  | {
      kw: {
        [k: string]: Arg;
      };
    };

export interface GraphLabTrace {
  format: "graphlab.trace";
  version: 3;
  generator: string;
  title: string;
  notice?: string;
  graph: Graph;
  causes?: Cause[];
  initial: State;
  events: Event[];
  scenes: Scene[];
  passes?: Pass[];
  replay?: Replay;
  forward?: ForwardPart[];
  walks_forward?: boolean;
  opening?: Opening;
  questions?: AuthoredQuestion[];
}
export interface Graph {
  /**
   * id of a tensor
   */
  root: string;
  tensors: TensorInfo[];
  nodes: NodeInfo[];
  edges: EdgeInfo[];
  scopes?: ScopeInfo[];
  unreached?: Unreached[];
  unstepped?: Unreached[];
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
  base?: string | null;
  guessed?: boolean;
}
export interface Value {
  shape: number[];
  dtype: string;
  text: string;
  entries?: string;
  kept?: number[];
  nbytes?: number;
  statistics?: Statistics | null;
  norm?: string;
}
export interface Statistics {
  low: string;
  high: string;
  mean: string;
  std: string;
  nan?: number;
  pos_inf?: number;
  neg_inf?: number;
  zeros?: number;
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
  scope?: string;
  layer?: number;
  made_by?: string | null;
  proof?: string;
  units?: number;
  silent?: number;
  blocked?: number;
}
export interface Saved {
  name: string;
  value: Value | null;
  text?: string;
  default?: string;
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
export interface ScopeInfo {
  path: string;
  kind?: string;
  guessed?: boolean;
}
export interface Unreached {
  name: string;
  why: string;
  source?: Source | null;
}
export interface Cause {
  names: string;
  said: string;
  source?: Source | null;
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
      added?: Value;
      after: Value;
    };
  };
  cleared?: {
    [k: string]: boolean;
  };
  returned?: {
    [k: string]: boolean;
  };
  values?: {
    [k: string]: Value;
  };
  versions?: {
    [k: string]: number;
  };
  freed?: {
    [k: string]: boolean;
  };
  computed?: {
    [k: string]: boolean;
  };
  kept?: {
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
  caption: (string | [string, string] | [string, string, string])[];
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
  changed?: boolean;
  caption: (string | [string, string] | [string, string, string])[];
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
  phrase?: (string | [string, string] | [string, string, string])[];
  product?: Product | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface Equation {
  symbols: (string | [string, string] | [string, string, string])[];
  numbers: (string | [string, string] | [string, string, string])[];
  note?: string;
}
export interface Product {
  operator: "@" | "⊗" | "⊙" | "·" | "⋆" | "∗";
  left: Factor;
  right: Factor;
  times?: string;
  windows?: Windows | null;
}
export interface Factor {
  text: string;
  form?: "" | "transposed" | "column" | "row" | "image" | "kernel" | "output";
  saved?: string;
  value?: Value | null;
  tensor?: string | null;
}
export interface Windows {
  stride: number[];
  padding: number[];
  dilation: number[];
}
export interface Reduced {
  kind: "Reduced";
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
  shape_before: number[];
  value: Value;
  caption: (string | [string, string] | [string, string, string])[];
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
  caption: (string | [string, string] | [string, string, string])[];
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
  caption: (string | [string, string] | [string, string, string])[];
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
  which?: string;
  caption: (string | [string, string] | [string, string, string])[];
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
  caption: (string | [string, string] | [string, string, string])[];
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
  why?: string;
  caption: (string | [string, string] | [string, string, string])[];
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
  caption: (string | [string, string] | [string, string, string])[];
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
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface HookCalled {
  kind: "HookCalled";
  level: "node";
  /**
   * id of a node
   */
  node: string;
  name: string;
  where: "pre" | "node" | "post";
  changed?: boolean;
  sent?: [string, Value][];
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface ForwardBegan {
  kind: "ForwardBegan";
  level: "story";
  title: string;
  /**
   * Items: id of a tensor
   */
  roots: string[];
  leaves: string[];
  operations: number;
  /**
   * Items: id of a tensor
   */
  there: string[];
  held: number;
  total: number;
  equation: Equation;
  number?: number;
  count?: number;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface Computed {
  kind: "Computed";
  level: "node";
  /**
   * id of a node
   */
  node: string;
  name: string;
  /**
   * Items: id of a tensor
   */
  tensors: string[];
  /**
   * Items: id of a tensor
   */
  inputs: string[];
  to: string;
  equation: Equation;
  why: string;
  told?: (string | [string, string] | [string, string, string])[];
  product?: Product | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface SavedKept {
  kind: "SavedKept";
  level: "micro";
  /**
   * id of a node
   */
  node: string;
  name: string;
  saved: string;
  text: string;
  nbytes: number;
  why: string;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface ForwardFinished {
  kind: "ForwardFinished";
  level: "story";
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  text: string;
  held: number;
  equation: Equation;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface PassBegan {
  kind: "PassBegan";
  level: "story";
  number: number;
  count: number;
  title: string;
  /**
   * Items: id of a tensor
   */
  roots: string[];
  waits: [string, number][];
  held: number;
  total: number;
  holding?: [string, Value][];
  full?: string[];
  call?: "backward" | "grad";
  keeps_graph?: boolean;
  creates_graph?: boolean;
  source?: Source | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
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
  queue?: string[] | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface GradReturned {
  kind: "GradReturned";
  level: "story";
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  value: Value;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface Finished {
  kind: "Finished";
  level: "story";
  leaves: number;
  message: string;
  caption: (string | [string, string] | [string, string, string])[];
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
  undone?: [string, Value | null][];
  /**
   * Items: id of a node
   */
  kept?: string[];
  held?: number;
  hook?: string;
  where?: "" | "tensor" | "pre" | "node" | "post";
  on?: string;
  why?: string;
  cause?: Source | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface GradCleared {
  kind: "GradCleared";
  level: "story";
  /**
   * Items: id of a tensor
   */
  tensors: string[];
  names: string[];
  zeros?: Value[];
  source?: Source | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface GradReplaced {
  kind: "GradReplaced";
  level: "story";
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  before: Value | null;
  after: Value;
  source?: Source | null;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface ChangedInPlace {
  kind: "ChangedInPlace";
  level: "story" | "micro";
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  before: Value | null;
  after: Value;
  version: number;
  source?: Source | null;
  counted?: boolean;
  recorded?: boolean;
  by_layer?: boolean;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface OptimizerStepped {
  kind: "OptimizerStepped";
  level: "story";
  optimizer: string;
  changes: Change[];
  source?: Source | null;
  elsewhere?: number;
  settings?: string;
  caption: (string | [string, string] | [string, string, string])[];
  focus: string[];
  patch: {};
}
export interface Change {
  /**
   * id of a tensor
   */
  tensor: string;
  name: string;
  before: Value | null;
  after: Value;
  version: number;
  unchanged?: "" | "lr" | "gradient" | "rounding" | "unknown";
}
export interface Scene {
  view: "both" | "backward" | "computation";
  width: number;
  height: number;
  groups: Group[];
  scope?: string;
}
export interface Group {
  id: string;
  kind: "tensor" | "op" | "wire" | "flow" | "saved" | "scope" | "stub";
  title: string;
  marks: Mark[];
  members?: string[];
}
export interface Mark {
  m: "rect" | "circle" | "path" | "text" | "heat";
  c:
    | "card"
    | "divider"
    | "name"
    | "value"
    | "cells"
    | "key"
    | "grad"
    | "op"
    | "symbol"
    | "title"
    | "badge"
    | "differs"
    | "caption"
    | "index"
    | "wire"
    | "head"
    | "flow"
    | "flowhead"
    | "contribution"
    | "chip"
    | "chipkey"
    | "chiptext"
    | "stack"
    | "count"
    | "track"
    | "guess"
    | "stub";
  x?: number;
  y?: number;
  w?: number;
  h?: number;
  r?: number;
  d?: string;
  t?: string;
  a?: "start" | "middle" | "end";
  slot?: "" | "grad" | "contribution" | "progress" | "version";
}
export interface Pass {
  title: string;
  /**
   * id of a tensor
   */
  root: string;
  first: number;
  scenes?: Scene[];
  like?: number;
  ids?: {
    [k: string]: string;
  };
  texts?: (number | string)[][][];
}
export interface Replay {
  formulas: Formula[];
  nodes: {
    [k: string]: number;
  };
  data: {
    [k: string]: Numbers;
  };
  cannot?: {
    [k: string]: string;
  };
  problem?: string;
  gradients?: {
    [k: string]: Numbers;
  };
  follows?: {
    [k: string]: Followed;
  };
  decided?: Decided[];
}
export interface Formula {
  forward: Program;
  backward: Program;
  domain?: Program;
}
export interface Program {
  steps: Arg[][];
  results: Arg[];
}
export interface Numbers {
  dtype: string;
  shape: number[];
  data: string;
}
export interface Followed {
  inputs: string[];
  steps: Arg[][];
  results: Arg[];
}
export interface Decided {
  inputs: string[];
  steps: Arg[][];
  results: Arg[];
  outcome: boolean | Numbers;
  sentence: string;
}
export interface ForwardPart {
  before: number;
  events: Event[];
}
export interface Opening {
  step: number;
  predicting?: boolean;
  granularity?: ("story" | "node" | "micro") | null;
  view?: ("both" | "backward" | "computation") | null;
}
export interface AuthoredQuestion {
  at: number;
  text: string;
  kind: "whole" | "number" | "text" | "choice";
  choices?: string[];
  sealed: string;
}
