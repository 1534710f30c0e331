import assert from "node:assert/strict";
import test from "node:test";
import { applyEdits, checked, editsOf, isEmpty, merge, none } from "./edits.js";

const cell = (id, source = id) => ({ id, type: "code", source, published: source, metadata: {}, outputs: [], count: null });
const notebook = (...ids) => ({ metadata: {}, cells: ids.map((id) => cell(id)) });
const shape = (nb) => nb.cells.map((c) => `${c.id}:${c.source}`).join(" ");

test("edits come back as they were", () => {
  const a = notebook("a", "b", "c");
  a.cells[1].source = "B";
  a.cells.splice(1, 0, { ...cell("n1", "one"), added: true }, { ...cell("n2", "two"), added: true });
  a.removed = a.cells.splice(4, 1);
  const edits = JSON.parse(JSON.stringify(editsOf(a))), b = notebook("a", "b", "c");
  applyEdits(b, edits);
  assert.equal(shape(b), shape(a));
  assert.equal(shape(b), "a:a n1:one n2:two b:B");
  assert.deepEqual(editsOf(b), edits);
  applyEdits(b, edits);
  assert.equal(shape(b), shape(a), "twice is once");
});

test("nothing edited is nothing", () => {
  assert.ok(isEmpty(editsOf(notebook("a"))));
  assert.ok(isEmpty(none()));
});

test("what belongs to cells that are gone is kept", () => {
  const nb = notebook("a");
  applyEdits(nb, { changed: { gone: "precious" }, added: [{ id: "n", after: "alsogone", source: "new" }], removed: ["never"] });
  assert.equal(shape(nb), "a:a gone:precious n:new");
});

test("a new cell takes no other's id", () => {
  const nb = notebook("a");
  applyEdits(nb, { changed: {}, added: [{ id: "a", after: null, source: "x" }, { id: "<b>", after: null, source: "y" }], removed: [] });
  assert.equal(nb.cells.length, 3);
  assert.equal(new Set(nb.cells.map((c) => c.id)).size, 3);
  for (const c of nb.cells) assert.match(c.id, /^[a-z0-9]+$/);
});

test("edits from elsewhere are looked at", () => {
  assert.deepEqual(checked(null), none());
  assert.deepEqual(checked({ changed: { a: 1, b: "x" }, added: [null, { id: 3 }, { id: "n", source: "y", after: 7, evil: 1 }], removed: [{}, "r"] }),
    { changed: { b: "x" }, added: [{ id: "n", after: null, source: "y" }], removed: ["r"] });
  assert.deepEqual(checked({ added: "abc", removed: 5 }), none());
});

test("two windows do not undo each other", () => {
  const theirs = { changed: { a: "theirs", b: "old" }, added: [{ id: "n", after: null, source: "n" }], removed: ["x"] };
  const ours = { changed: { b: "ours", c: "not touched" }, added: [{ id: "m", after: null, source: "m" }], removed: [] };
  const got = merge(theirs, ours, new Set(["b", "m", "x"]));
  assert.deepEqual(got.changed, { a: "theirs", b: "ours" });
  assert.deepEqual(got.added.map((c) => c.id), ["n", "m"]);
  assert.deepEqual(got.removed, []);
});
