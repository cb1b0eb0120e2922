// JSON merge patch, RFC 7396: null deletes, an object merges, anything else replaces.
//
// Read next: timeline.ts, which folds one patch per event.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Marks an object of which a patch replaces all parts, so that they need not be written to merge them. */
export const COMPLETE = Symbol("complete");

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `target` with `patch` applied. Neither is changed; unchanged parts are shared. */
export function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch) || COMPLETE in patch) return patch;
  // With a Map and fromEntries, a key called "__proto__" stays an ordinary key.
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : []);
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** `state` with `patches` applied in order. Each map is copied once, however many patches change it. */
export function fold(state: JsonObject, patches: readonly JsonObject[]): JsonObject {
  let folded = state;
  const own = new Set<string>();
  for (const patch of patches) {
    for (const [key, change] of Object.entries(patch)) {
      const held = folded[key];
      if (!isObject(change) || !isObject(held) || Object.hasOwn(change, "__proto__")) {
        folded = merge(folded, { [key]: change }) as JsonObject;
        own.delete(key);
        continue;
      }
      if (folded === state) folded = { ...state };
      if (!own.has(key)) folded[key] = { ...(held as JsonObject) };
      own.add(key);
      const map = folded[key] as JsonObject;
      for (const [name, value] of Object.entries(change as JsonObject)) {
        if (value === null) delete map[name];
        else map[name] = merge(map[name], value);
      }
    }
  }
  return folded;
}
