import assert from "node:assert/strict";
import test from "node:test";
import { readNotebook, runs, writeNotebook } from "./notebookfile.js";

const file = (cells, more = {}) => JSON.stringify({ cells, metadata: { kernelspec: { name: "go" } }, nbformat: 4, nbformat_minor: 5, ...more });
const code = (id, source, tags) => ({ cell_type: "code", id, metadata: tags ? { tags } : {}, outputs: [], execution_count: null, source });

test("a notebook is written as it was read", () => {
  const whole = file([
    { cell_type: "markdown", id: "m", metadata: { x: 1 }, attachments: { "a.png": { "image/png": "AA==" } }, source: ["# t\n", "u"] },
    { ...code("c", ["a := 1\n", "\n", "a"]), execution_count: 3, outputs: [{ output_type: "stream", name: "stdout", text: ["1\n", "2"] }, { output_type: "display_data", metadata: {}, data: { "image/png": "AA==", "text/plain": ["x"] } }] },
    { cell_type: "raw", id: "r", metadata: {}, source: [] },
  ]);
  assert.deepEqual(JSON.parse(writeNotebook(readNotebook(whole))), JSON.parse(whole));
});

test("older files get ids, and bad and double ones are replaced", () => {
  const { cells } = readNotebook(file([{ cell_type: "code", source: "a" }, code('"><script>', "b"), code("x", "c"), code("x", "d"), { cell_type: "heading", source: "e" }, null]));
  assert.deepEqual(cells.map((c) => c.source), ["a", "b", "c", "d"]);
  assert.equal(new Set(cells.map((c) => c.id)).size, 4);
  for (const c of cells) assert.match(c.id, /^[A-Za-z0-9_-]{1,64}$/);
});

test("what is no notebook is said to be none", () => {
  for (const [text, says] of [["{", /not JSON/], ["[]", /no cells/], ["null", /no cells/], ['{"worksheets": []}', /nbformat 3/]]) assert.throws(() => readNotebook(text), says);
});

test("what runs with all the others", () => {
  const names = (parameters) => {
    const nb = readNotebook(file([code("p", parameters, ["parameters"]), code("a", "x"), code("b", " \n"), code("c", "x", ["skip-execution"]), code("d", "x", ["solution"]), { cell_type: "markdown", id: "e", source: "x" }]));
    return nb.cells.filter((c) => runs(c, nb)).map((c) => c.id).join("");
  };
  assert.equal(names("size := 1"), "pad");
  assert.equal(names("size := 1\nsolutions := false // not yet"), "pa");
  assert.equal(names("var solutions bool = false"), "pa");
  assert.equal(names("solutions := true"), "pad");
});
