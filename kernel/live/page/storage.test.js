import assert from "node:assert/strict";
import test from "node:test";
import { slot, Storage } from "./storage.js";

function area() {
  const all = new Map();
  return { all, getItem: (k) => all.get(k) ?? null, setItem: (k, v) => { all.set(k, v); }, removeItem: (k) => { all.delete(k); } };
}

test("what is written is read", () => {
  const a = area(), s = new Storage(() => a);
  assert.equal(s.write(slot("/p"), { x: 1 }), true);
  assert.deepEqual(new Storage(() => a).read(slot("/p")), { x: 1 });
  assert.equal(s.read(slot("/q")), null);
  s.write(slot("/p"), null);
  assert.equal(a.all.size, 0, "nothing is left");
});

test("pages and links have their own", () => {
  assert.equal(new Set([slot("/a/"), slot("/b/"), slot("/a/", "?edits=1"), slot("/a/", "?opened=1")]).size, 4);
});

test("no storage, and none that may be asked for", () => {
  for (const give of [() => undefined, () => { throw new Error("SecurityError"); }]) {
    const s = new Storage(give);
    assert.equal(s.write("a", 1), false);
    assert.equal(s.read("a"), null);
    assert.match(s.reason, /keeps nothing/);
  }
});

test("a full one", () => {
  const a = area(), s = new Storage(() => a);
  a.setItem = () => { throw Object.assign(new Error(), { name: "QuotaExceededError" }); };
  assert.equal(s.write("a", 1), false);
  assert.match(s.reason, /full/);
});

test("what another program has written there is nothing", () => {
  const a = area(), s = new Storage(() => a);
  a.all.set(slot("/p"), "{");
  assert.equal(s.read(slot("/p")), null);
});
