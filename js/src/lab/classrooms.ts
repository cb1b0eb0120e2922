// The classroom of each notebook that is shared, and where in the notebook a player is.
//
// Read next: lab/classroom.ts.

import { Notification } from "@jupyterlab/apputils";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { Classroom } from "./classroom";

/** What an output needs of its notebook to take part. */
export interface Room {
  /** Resolves to nothing where jupyter-collaboration does not share the notebook. */
  readonly classroom: Promise<Classroom | undefined>;
  /** The id of the cell and the number of the player in it; "" for an element in no cell. */
  placeOf(player: Element): string;
}

type Cell = NotebookPanel["content"]["widgets"][number];

const rooms = new WeakMap<NotebookPanel, Room>();

export function roomOf(panel: NotebookPanel): Room {
  const known = rooms.get(panel);
  if (known) return known;
  const room = { classroom: open(panel), placeOf: (player: Element) => placeIn(panel, player) };
  rooms.set(panel, room);
  return room;
}

async function open(panel: NotebookPanel): Promise<Classroom | undefined> {
  const { context, content } = panel;
  await context.ready;
  const { awareness } = context.model.sharedModel;
  if (!context.model.collaborative || !awareness || panel.isDisposed) return undefined;
  const reveal = (place: string) => {
    const index = content.widgets.findIndex((cell) => place.startsWith(`${cell.model.id}/`));
    const cell = content.widgets[index];
    if (!cell) return;
    const show = () => playersIn(cell)[Number(place.slice(cell.model.id.length + 1))]?.scrollIntoView();
    void content.scrollToItem(index).then(show, () => undefined);
  };
  const classroom = new Classroom(awareness, reveal, (name) => {
    Notification.warning(`${name} has taken over: you no longer lead the class.`, { autoClose: false });
  });
  panel.disposed.connect(() => classroom.dispose());
  return classroom;
}

const playersIn = ({ node }: Cell): Element[] => [...node.querySelectorAll(".graphlab-output")];

function placeIn({ content }: NotebookPanel, player: Element): string {
  const cell = content.widgets.find(({ node }) => node.contains(player));
  const nth = cell ? playersIn(cell).indexOf(player) : -1;
  return cell && nth >= 0 ? `${cell.model.id}/${nth}` : "";
}
