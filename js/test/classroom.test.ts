// Who leads and who follows, without JupyterLab: a hub that hands each browser's state to the others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Awareness, Classroom, type FOLLOWED, type Member, type Said } from "../src/lab/classroom.ts";

type Fields = { [field: string]: unknown };

/** The states of all browsers; each has an Awareness of its own. */
class Hub {
  readonly states = new Map<number, Fields>();
  readonly #listeners = new Map<number, Set<() => void>>();

  /** A browser comes. */
  enter(clientID: number, name: string): Awareness {
    this.states.set(clientID, { user: { name } });
    this.#listeners.set(clientID, new Set());
    this.#tell();
    return {
      clientID,
      getStates: () => this.states,
      setLocalStateField: (field, value) => this.write(clientID, { [field]: value }),
      on: (_, listener) => this.#listeners.get(clientID)?.add(listener),
      off: (_, listener) => this.#listeners.get(clientID)?.delete(listener),
    };
  }

  /** A browser says something, whatever it is. */
  write(client: number, fields: Fields): void {
    this.states.set(client, { ...this.states.get(client), ...fields });
    this.#tell();
  }

  leave(client: number): void {
    this.states.delete(client);
    this.#listeners.delete(client);
    this.#tell();
  }

  #tell(): void {
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener();
  }
}

/** A browser with one player. */
class Browser {
  readonly set: [string, unknown][] = [];
  readonly revealed: string[] = [];
  said: Said = { text: "" };
  readonly room: Classroom;
  readonly member: Member;

  constructor(hub: Hub, client: number, name: string, place = "cell/0") {
    this.room = new Classroom(hub.enter(client, name), (shown) => this.revealed.push(shown));
    this.member = {
      place: () => place,
      set: (what, value) => this.set.push([what, value]),
      show: (said) => {
        this.said = said;
      },
    };
    this.room.join(this.member);
  }

  async walk(step: number): Promise<void> {
    await this.change({ step }, "step");
  }

  async change(
    now: Parameters<Classroom["changed"]>[1],
    ...names: (typeof FOLLOWED)[number][]
  ): Promise<void> {
    for (const name of names) this.room.changed(this.member, now, name);
    await Promise.resolve(); // what changes together is told together
  }

  get steps(): unknown[] {
    return this.set.filter(([what]) => what === "step").map(([, value]) => value);
  }
}

test("everyone follows who leads, and nobody else", async () => {
  const hub = new Hub();
  const [ada, ben] = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben")];
  await ben.walk(3);
  assert.deepEqual(ada.steps, []);
  ada.room.lead(true);
  assert.match(ada.said.text, /^You lead/);
  assert.equal(ben.said.text, "You follow Ada.");
  await ada.walk(5);
  await ada.walk(6);
  assert.deepEqual(ben.steps, [5, 6]);
  assert.deepEqual(ben.revealed, ["cell/0"]); // once, not at every step
  assert.deepEqual(ada.steps, []);
});

test("a person who walks alone is left alone until they follow again", async () => {
  const hub = new Hub();
  const [ada, ben] = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben")];
  ada.room.lead(true);
  await ada.walk(1);
  await ben.walk(9);
  assert.equal(ben.said.text, "Ada leads. You walk on your own.");
  await ada.walk(2);
  assert.deepEqual(ben.steps, [1]);
  ben.said.act?.();
  assert.deepEqual(ben.steps, [1, 2]);
  assert.equal(ben.said.text, "You follow Ada.");
});

test("a player that comes late goes where the leader is, the first time and after the leader is back", async () => {
  const hub = new Hub();
  const ada = new Browser(hub, 1, "Ada");
  ada.room.lead(true);
  await ada.walk(4);
  const late = new Browser(hub, 2, "Ben");
  assert.deepEqual(late.steps, [4]);
  hub.leave(1);
  assert.equal(late.said.text, "Ada no longer leads. You walk on your own.");
  await late.walk(5);
  assert.equal(late.said.text, "");
  const again = new Browser(hub, 7, "Ada");
  again.room.lead(true);
  await again.walk(8);
  assert.deepEqual(late.steps, [4, 8]);
});

test("who takes the lead later has it, and the one before stops", () => {
  const hub = new Hub();
  const people = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben"), new Browser(hub, 3, "Cy")];
  const [ada, ben, cy] = people as [Browser, Browser, Browser];
  ada.room.lead(true);
  ben.room.lead(true);
  assert.deepEqual([ada.room.leads, ben.room.leads], [false, true]);
  assert.equal(ada.said.text, "You follow Ben.");
  assert.equal(cy.said.text, "You follow Ben.");
  ben.said.act?.(); // "Stop leading"
  assert.equal(ben.said.text, "");
  assert.equal(cy.said.text, "Ben no longer leads. You walk on your own.");
});

test("who asks the class with the key p shows nobody the answer, and who answers still follows", async () => {
  const hub = new Hub();
  const [ada, ben] = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben")];
  ada.room.lead(true);
  let told = 0;
  hub.enter(3, "Cy").on("change", () => {
    told += 1;
  });
  // a step into a question, with the order in which the player tells it
  await ada.change(
    { step: 5, predicting: true, subject: "shape", reached: 4 },
    "step",
    "predicting",
    "reached",
  );
  assert.equal(told, 1);
  assert.deepEqual(ben.set, [
    ["predicting", true],
    ["subject", "shape"],
    ["reached", 4],
    ["step", 5], // known to be asked for when it comes
  ]);
  await ben.change({ reached: 5 }, "reached"); // Ben answers
  assert.equal(ben.said.text, "You follow Ada.");
  await ada.change({ step: 5, predicting: true, subject: "shape", reached: 5 }, "reached"); // Ada reveals
  assert.deepEqual(ben.set.slice(4), [
    ["reached", 5],
    ["step", 5],
  ]);
});

test("who leads is known before another takes over, and hears who it is", () => {
  const hub = new Hub();
  const heard: string[] = [];
  const ada = new Classroom(
    hub.enter(1, "Ada"),
    () => undefined,
    (name) => heard.push(name),
  );
  const ben = new Browser(hub, 2, "Ben");
  assert.equal(ben.room.leader, "");
  ada.lead(true);
  assert.equal(ben.room.leader, "Ada");
  assert.equal(ada.leader, "");
  ben.room.lead(true);
  assert.deepEqual(heard, ["Ben"]);
  ben.room.lead(false);
  ada.lead(true);
  ada.lead(false);
  assert.deepEqual(heard, ["Ben"]);
});

test("values that are changed are followed, once", async () => {
  const hub = new Hub();
  const [ada, ben] = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben")];
  ada.room.lead(true);
  await ada.change({ step: 2, edits: { d: 7 } }, "edits", "step");
  await ada.change({ step: 3, edits: { d: 7 } }, "step");
  assert.deepEqual(ben.set, [
    ["edits", { d: 7 }],
    ["step", 2],
    ["step", 3],
  ]);
});

test("another player of the notebook does not move", async () => {
  const hub = new Hub();
  const [ada, ben] = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben", "other/0")];
  ada.room.lead(true);
  await ada.walk(5);
  assert.deepEqual(ben.steps, []);
  assert.deepEqual(ben.revealed, ["cell/0"]);
});

test("states that are damaged or hostile move nothing", () => {
  const hub = new Hub();
  const ben = new Browser(hub, 2, "Ben");
  const place = "cell/0";
  const states = [
    null,
    3,
    [],
    { turn: "1", place, step: 4 },
    { turn: 0, place, step: 4 },
    { turn: 1, place, step: "4" },
    { turn: 1, place, step: 4.5, granularity: "<b>", walks_forward: "yes", edits: [1] },
    { turn: 1, place, predicting: 1, subject: "<b>", reached: "9" },
    { turn: 1, place: { toString: () => place }, step: 4 },
  ];
  for (const graphlab of states) {
    hub.write(1, { graphlab });
    assert.deepEqual(ben.set, []);
  }
  hub.write(1, { user: { name: 5 }, graphlab: { turn: 1 } });
  assert.equal(ben.said.text, "You follow The presenter.");
  hub.write(1, { user: { name: `<img>${"x".repeat(100)}` }, graphlab: null });
  hub.write(1, { graphlab: { turn: 1 } });
  assert.equal(ben.said.text, `You follow <img>${"x".repeat(35)}.`); // a text node shows it
});

test("a classroom that is closed hears nothing any more", async () => {
  const hub = new Hub();
  const [ada, ben] = [new Browser(hub, 1, "Ada"), new Browser(hub, 2, "Ben")];
  ben.room.dispose();
  ada.room.lead(true);
  await ada.walk(5);
  assert.deepEqual(ben.steps, []);
});
