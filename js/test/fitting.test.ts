import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "../src/fitting.ts";
import { fixture } from "./page.ts";

test("what does not fit is written with fewer digits, then as a shape, and only then cut, as in Python", () => {
  for (const [text, most, shown] of fixture("fitting.json") as unknown as [string, number, string][])
    assert.equal(fitted(text, most), shown, `${text} in ${most}`);
});
