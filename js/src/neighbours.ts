// What lies around a place in the picture, when all of it is too much to look at.
//
// Read next: view.ts.

/** The `most` pieces nearest to those in `from`, by the number of lines on the way. */
export function nearest(
  links: ReadonlyMap<string, readonly string[]>,
  from: Iterable<string>,
  most: number,
): Set<string> {
  const near = new Set([...from].filter((id) => links.has(id)).slice(0, most));
  if (!near.size && links.size) near.add(links.keys().next().value as string);
  for (const id of near) {
    // A set is walked in the order in which it grows: ring after ring.
    for (const next of links.get(id) ?? []) if (near.size < most) near.add(next);
  }
  return near;
}

/** The pieces within `hops` lines of those in `from`; all of them when none of these is there. */
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
