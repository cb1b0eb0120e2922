// One person leads, and the players of everyone else in the same notebook follow.
//
// jupyter-collaboration shares a small state for each person who has a notebook open (Yjs calls it
// awareness). Who leads writes there which player is walked and how; nothing is written to the notebook,
// and no server is asked. A person who moves a player of their own has left, until they follow again.
//
// Read next: lab/classroombar.ts.

import { isObject } from "../merge";
import { OWN, SUBJECTS } from "../questions";
import type { Shared } from "../state";
import { GRANULARITIES } from "../trace";

/** The part of Yjs' awareness that is used. */
export interface Awareness {
  readonly clientID: number;
  getStates(): ReadonlyMap<number, { readonly [field: string]: unknown }>;
  setLocalStateField(field: string, value: unknown): void;
  on(event: "change", listener: () => void): void;
  off(event: "change", listener: () => void): void;
}

/** What of a player the others follow. */
export const FOLLOWED = [
  ...(["granularity", "walks_forward", "edits"] as const),
  ...(["predicting", "subject", "reached", "step"] as const), // a step comes when it is known that it is asked for
];
type Followed = Partial<Pick<Shared, (typeof FOLLOWED)[number]>>;

/** A player of this notebook. */
export interface Member {
  /** The cell and the place in it, the same for everyone; "" while it is in no cell. */
  place(): string;
  set(name: keyof Shared, value: Shared[keyof Shared]): void;
  show(said: Said): void;
}

/** What stands above a player: a sentence, and a button with what it does. */
export interface Said {
  text: string;
  button?: string;
  act?: () => void;
}

interface Lead {
  client: number;
  name: string;
  turn: number; // who took the lead later has the larger one
  place: string;
  shown: Followed;
}

const FIELD = "graphlab";
const NOTHING: Said = { text: "" };
const LONGEST = 40; // letters of a name

export class Classroom {
  readonly #awareness: Awareness;
  readonly #reveal: (place: string) => void;
  readonly #overtaken: (name: string) => void;
  readonly #members = new Set<Member>();
  #leading = 0; // the turn, or 0
  #following = true;
  #leader: Lead | undefined;
  #left = ""; // who led last, and has gone
  #told: Lead | undefined; // what the players were told last
  #news: object | undefined; // what the others are told next

  /** `reveal` brings a place of the notebook into sight; `overtaken` says who has taken the lead from this person. */
  constructor(
    awareness: Awareness,
    reveal: (place: string) => void,
    overtaken: (name: string) => void = () => undefined,
  ) {
    this.#awareness = awareness;
    this.#reveal = reveal;
    this.#overtaken = overtaken;
    awareness.on("change", this.#look);
    this.#look();
  }

  dispose(): void {
    this.#awareness.off("change", this.#look);
    this.#members.clear();
  }

  get leads(): boolean {
    return this.#leading > 0;
  }

  /** The name of the other person who leads; "" if nobody does. */
  get leader(): string {
    return this.#leader?.name ?? "";
  }

  /** Take the lead, or give it back. */
  lead(on: boolean): void {
    this.#leading = on ? (this.#leader?.turn ?? 0) + 1 : 0;
    this.#leader = on ? undefined : this.#leader;
    this.#awareness.setLocalStateField(FIELD, on ? { turn: this.#leading } : null);
    this.#say();
  }

  /** A player came: it goes where the leader is. */
  join(member: Member): void {
    this.#members.add(member);
    member.show(this.#said());
    if (this.#leader && this.#following) this.#tell(this.#leader, member);
  }

  leave(member: Member): void {
    this.#members.delete(member);
  }

  /** A person changed `name` of a player, which is `now` so. */
  changed(member: Member, now: Followed, name: keyof Followed): void {
    if (this.#leading) {
      if (!this.#news) queueMicrotask(this.#write); // what changes together is told together
      this.#news = { place: member.place(), ...now };
    } else if (name === "reached")
      return; // an answer to a question is no walk of one's own
    else if (this.#leader && this.#following) {
      this.#following = false;
      this.#say();
    } else if (this.#left) {
      this.#left = "";
      this.#say();
    }
  }

  /** Follow who leads, or walk on one's own. */
  follow(on: boolean): void {
    this.#following = on;
    this.#told = undefined;
    this.#look();
    this.#say();
  }

  readonly #write = () => {
    if (this.#leading) this.#awareness.setLocalStateField(FIELD, { turn: this.#leading, ...this.#news });
    this.#news = undefined;
  };

  readonly #look = () => {
    const leader = leaderOf(this.#awareness);
    if (this.#leading && leader && leader.turn >= this.#leading) {
      this.lead(false);
      this.#overtaken(leader.name);
    }
    const before = this.#leader;
    this.#leader = this.#leading ? undefined : leader;
    if (before && !this.#leader && !this.#leading) this.#left = before.name;
    if (this.#leader) this.#left = "";
    if (before?.client !== this.#leader?.client) {
      this.#following = true;
      this.#told = undefined;
      this.#say();
    }
    if (this.#leader && this.#following) this.#catchUp(this.#leader);
  };

  #catchUp(leader: Lead): void {
    if (leader.place && leader.place !== this.#told?.place) this.#reveal(leader.place);
    for (const member of this.#members) this.#tell(leader, member);
    this.#told = leader;
  }

  #tell(leader: Lead, member: Member): void {
    if (!leader.place || member.place() !== leader.place) return;
    const known = this.#told?.place === leader.place ? this.#told.shown : {};
    for (const name of FOLLOWED) {
      const value = leader.shown[name];
      const news = JSON.stringify(value) !== JSON.stringify(known[name]);
      if (value !== undefined && (news || name === "step")) member.set(name, value);
    }
  }

  #said(): Said {
    if (this.#leading) {
      const text = "You lead: everyone who has this notebook open follows your steps.";
      return { text, button: "Stop leading", act: () => this.lead(false) };
    }
    if (this.#left) return { text: `${this.#left} no longer leads. You walk on your own.` };
    const name = this.#leader?.name;
    if (!name) return NOTHING;
    return this.#following
      ? { text: `You follow ${name}.`, button: "Walk on my own", act: () => this.follow(false) }
      : { text: `${name} leads. You walk on your own.`, button: "Follow", act: () => this.follow(true) };
  }

  #say(): void {
    const said = this.#said();
    for (const member of this.#members) member.show(said);
  }
}

/** Who leads, of those whose state says so in the right form; of several, who began last. */
function leaderOf(awareness: Awareness): Lead | undefined {
  let found: Lead | undefined;
  for (const [client, state] of awareness.getStates()) {
    const field = state?.[FIELD];
    if (client === awareness.clientID || !isObject(field) || !Number.isSafeInteger(field.turn)) continue;
    const turn = field.turn as number;
    if (turn < 1 || (found && (turn < found.turn || (turn === found.turn && client > found.client))))
      continue;
    const place = typeof field.place === "string" ? field.place : "";
    found = { client, name: nameOf(state.user), turn, place, shown: shownIn(field) };
  }
  return found;
}

/** What can be followed of a state that another browser wrote. */
function shownIn(field: { readonly [name: string]: unknown }): Followed {
  const { step, granularity, walks_forward, edits, predicting, subject, reached } = field;
  return {
    ...(Number.isSafeInteger(step) && { step: step as number }),
    ...(isGranularity(granularity) && { granularity }),
    ...(typeof walks_forward === "boolean" && { walks_forward }),
    ...(typeof predicting === "boolean" && { predicting }),
    ...(isSubject(subject) && { subject }),
    ...(Number.isSafeInteger(reached) && { reached: reached as number }),
    ...(isObject(edits) && { edits: edits as Shared["edits"] }),
  };
}

function nameOf(user: unknown): string {
  const given = isObject(user) ? user.display_name || user.name || user.username : "";
  return typeof given === "string" && given.trim() ? given.trim().slice(0, LONGEST) : "The presenter";
}

const isGranularity = (value: unknown): value is Shared["granularity"] =>
  (GRANULARITIES as readonly unknown[]).includes(value);

const isSubject = (value: unknown): value is Shared["subject"] =>
  value === OWN || (SUBJECTS as readonly unknown[]).includes(value);
