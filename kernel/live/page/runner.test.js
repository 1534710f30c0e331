import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { Runner } from "./runner.js";

globalThis.CustomEvent ??= class extends Event {
  constructor(type, { detail }) { super(type); this.detail = detail; }
};

// A kernel that answers as answers say, by the cell's source; one that is not there waits until it is interrupted.
function make(answers) {
  const asked = [];
  let stop;
  const kernel = {
    state: "idle", interrupts: 0,
    start: async () => {},
    async request(_, __, content) {
      asked.push(content.code);
      if (answers[content.code] instanceof Error) throw answers[content.code];
      if (!answers[content.code]) await new Promise((r) => { stop = r; });
      return { content: { status: answers[content.code] ?? "error", ename: "Interrupted" }, metadata: {} };
    },
    async interrupt() { this.interrupts++; },
    stop: () => stop(),
  };
  const runner = new Runner(kernel), told = [];
  for (const type of ["runs", "ran", "hangs"]) runner.addEventListener(type, ({ detail }) => told.push(type + " " + (detail.data ?? detail.cell.data).id));
  return { runner, kernel, asked, told };
}

function cell(id, tags = []) {
  const e = { querySelector: () => null };
  return {
    data: { id, metadata: { tags } }, source: id, states: [], area: { element: e, receive() {} },
    wait() { this.states.push("waits"); }, unwait() { this.states.push("not"); }, begin() { this.states.push("runs"); }, end({ status }) { this.states.push(status); },
  };
}

test("cells run in their order, each once", async () => {
  const { runner, asked, told } = make({ a: "ok", b: "ok" }), a = cell("a"), b = cell("b");
  await Promise.all([runner.add([a, b]), runner.add([b])]);
  assert.deepEqual(asked, ["a", "b"]);
  assert.deepEqual(a.states, ["waits", "runs", "ok"]);
  assert.deepEqual(told, ["runs a", "ran a", "runs b", "ran b"]);
});

test("a failure keeps those that wait from running, but where it was expected", async () => {
  const { runner, asked } = make({ bad: "error", c: "ok" });
  const c = cell("c");
  await runner.add([cell("bad"), c]);
  assert.deepEqual([asked, c.states], [["bad"], ["waits", "not"]]);
  await runner.add([cell("bad", ["raises-exception"]), c]);
  assert.deepEqual(asked, ["bad", "bad", "c"]);
  const bad = cell("bad");
  runner.mayFail.add(bad);
  await runner.add([bad, c]);
  assert.equal(asked.at(-1), "c");
  await runner.add([bad, c]);
  assert.equal(asked.at(-1), "bad", "that was said of one run");
});

test("a kernel that does not start runs nothing, and can be tried again", async () => {
  const { runner, kernel, asked } = make({ a: "ok" }), a = cell("a");
  kernel.start = async () => { throw new Error("no"); };
  await runner.add([a]);
  assert.deepEqual(asked, []);
  kernel.start = async () => {};
  await runner.add(runner.drop());
  assert.deepEqual(asked, ["a"]);
});

test("a kernel that ends, or is ended, says so to the cell", async () => {
  const gone = Object.assign(new Error("gone"), { ended: true }), { runner, kernel } = make({ a: gone });
  const a = cell("a");
  await runner.add([a]);
  kernel.state = "dead";
  await runner.add([a]);
  assert.deepEqual(a.states.filter((s) => s !== "waits" && s !== "runs"), ["stopped", "ended"]);
});

test("a cell that does not stop is told of", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { runner, kernel, told } = make({}), a = cell("a"), b = cell("b");
  const done = runner.add([a, b]);
  while (!runner.running) await new Promise((r) => setImmediate(r));
  runner.interrupt();
  assert.deepEqual(b.states, ["waits", "not"]);
  assert.equal(kernel.interrupts, 1);
  mock.timers.tick(1999);
  assert.ok(!told.includes("hangs a"));
  mock.timers.tick(2);
  assert.ok(told.includes("hangs a"));
  kernel.stop();
  await done;
  runner.interrupt();
  mock.timers.tick(3000);
  assert.equal(told.filter((s) => s.startsWith("hangs")).length, 1);
  mock.timers.reset();
});

test("deleted cells are told of once", async () => {
  const sent = [], { runner, kernel } = make({});
  kernel.request = async (...args) => (sent.push(args[3].metadata), { content: { status: "ok" }, metadata: { overcomplete: { stale: [] } } });
  runner.deleted.push("x");
  await runner.add([cell("a"), cell("b")]);
  assert.deepEqual(sent, [{ cellId: "a", deletedCells: ["x"] }, { cellId: "b", deletedCells: [] }]);
});
