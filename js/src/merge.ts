// RFC 7396, JSON merge patch: null deletes, an object merges, anything else replaces.
//
// Read next: timeline.ts, which folds one patch per event.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `target` with `patch` applied. Neither is changed; parts that the patch leaves alone are shared. */
export function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  // A Map, then fromEntries: a key called "__proto__" stays an ordinary key.
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : []);
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
