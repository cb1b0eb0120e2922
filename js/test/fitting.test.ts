import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "../src/fitting.ts";
import { fixture } from "./page.ts";

test("a text that does not fit gets fewer digits, then becomes a shape, and only then is cut, as in Python", () => {
  for (const [text, most, shown] of fixture("fitting.json") as unknown as [string, number, string][])
    assert.equal(fitted(text, most), shown, `${text} in ${most}`);
});
