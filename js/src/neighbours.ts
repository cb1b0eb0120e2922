// Finds what is near the current step in a graph that is too large to show as a whole.
//
// Read next: sceneview.ts.

/** The `most` ids nearest to those in `from`, by the number of links between them. */
export function nearest(
  links: ReadonlyMap<string, readonly string[]>,
  from: Iterable<string>,
  most: number,
): Set<string> {
  const near = new Set([...from].filter((id) => links.has(id)).slice(0, most));
  if (!near.size && links.size) near.add(links.keys().next().value as string);
  for (const id of near) {
    // A set is iterated in the order in which it grows, so this is a breadth-first search.
    for (const next of links.get(id) ?? []) if (near.size < most) near.add(next);
  }
  return near;
}

/** The ids within `hops` links of those in `from`; all ids when none of `from` is there. */
export function within(
  links: ReadonlyMap<string, readonly string[]>,
  from: Iterable<string>,
  hops: number,
): Set<string> {
  let ring = [...from].filter((id) => links.has(id));
  const near = new Set(ring.length ? ring : links.keys());
  for (let k = 0; k < hops && ring.length; k += 1) {
    ring = ring.flatMap((id) => links.get(id) ?? []).filter((id) => !near.has(id));
    for (const id of ring) near.add(id);
  }
  return near;
}
