// Drawings that differ from earlier ones in texts, and in the ids of tensors and nodes: those of the passes of
// a loop (graphlab/graph/scene.py), and those that an explorer sends (faces/render/steady_scenes.py).
//
// Read next: recording.ts.

import type { Group, Pass, Scene } from "./schema";

export type Texts = readonly [at: number, title: string, ...texts: string[]];

/** `scene` with other texts in some of its groups. */
export function retold(scene: Scene, texts: readonly Texts[] = []): Scene {
  const groups = [...scene.groups];
  for (const [at, title, ...told] of texts) {
    const { marks, ...group } = groups[at] as Group;
    const now = marks.map((mark) => (mark.m === "text" ? { ...mark, t: told.shift() as string } : mark));
    groups[at] = { ...group, title, marks: now };
  }
  return { ...scene, groups };
}

/** The drawings of a pass, which may be those of an earlier one with other ids and texts. */
export function scenesOf(
  { like, scenes = [], ids = {}, texts = [] }: Partial<Pass>,
  passes: readonly Pass[],
): Scene[] {
  if (like === undefined) return scenes;
  const renamed = (id: string) =>
    id.replace(/(^|[:<>~])([nt]\d+)/g, (_, sign, own) => sign + (ids[own] ?? own));
  return (passes[like]?.scenes ?? []).map((scene, k) => {
    const drawn = retold(scene, texts[k] as unknown as Texts[]);
    const groups = drawn.groups.map(({ id, members, ...group }) => ({
      ...group,
      id: renamed(id),
      ...(members && { members: members.map(renamed) }),
    }));
    return { ...drawn, groups };
  });
}
