import assert from "node:assert/strict";
import test from "node:test";
import { Kernel } from "./kernel.js";

globalThis.CustomEvent ??= class extends Event {
  constructor(type, { detail }) { super(type); this.detail = detail; }
};

// A worker that notes what it is sent and answers as the test says.
function make(settings = {}) {
  const workers = [];
  const kernel = new Kernel(() => {
    const w = { sent: [], postMessage(m) { this.sent.push(m); }, terminate() { this.ended = true; }, say(m) { this.onmessage({ data: m }); } };
    workers.push(w);
    return w;
  }, settings);
  const events = [];
  for (const type of ["state", "fault", "message", "progress", "raw"]) kernel.addEventListener(type, (e) => events.push([type, e.detail]));
  return { kernel, workers, events };
}

const turn = () => new Promise((r) => setImmediate(r));
const answer = (w, sent, type, content, channel = "shell") => w.say({ message: { channel, header: { msg_type: type }, parent_header: sent.header, metadata: {}, content } });

async function started() {
  const all = make({ kernel: "k.wasm" });
  const ready = all.kernel.start();
  all.workers[0].say({ ready: { load: 1, start: 2 } });
  await ready;
  return { ...all, w: all.workers[0] };
}

test("a request ends with its reply and idle, in whichever order", async () => {
  const { kernel, w } = await started();
  for (const order of [["reply", "idle"], ["idle", "reply"]]) {
    const shown = [], r = kernel.request("shell", "execute_request", { code: "1" }, { metadata: { cellId: "c" }, output: (m) => shown.push(m.header.msg_type) });
    await turn();
    const sent = w.sent.at(-1).message;
    assert.deepEqual([sent.channel, sent.header.msg_type, sent.metadata.cellId, sent.content.code], ["shell", "execute_request", "c", "1"]);
    answer(w, sent, "status", { execution_state: "busy" }, "iopub");
    assert.equal(kernel.state, "busy");
    answer(w, sent, "stream", { name: "stdout", text: "x" }, "iopub");
    let done = false;
    r.then(() => { done = true; });
    for (const what of order) {
      await turn();
      assert.equal(done, false);
      if (what === "idle") answer(w, sent, "status", { execution_state: "idle" }, "iopub");
      else answer(w, sent, "execute_reply", { status: "ok" });
    }
    assert.equal((await r).content.status, "ok");
    assert.deepEqual(shown, ["stream"]);
  }
});

test("one start for all that ask; requests wait for it", async () => {
  const { kernel, workers } = make({ kernel: "k.wasm", html: true });
  const a = kernel.request("shell", "x_request", {}), b = kernel.request("shell", "y_request", {});
  await turn();
  assert.equal(workers.length, 1);
  assert.equal(workers[0].sent.length, 1);
  assert.equal(workers[0].sent[0].start.html, true);
  workers[0].say({ ready: {} });
  await turn();
  assert.deepEqual(workers[0].sent.slice(1).map((m) => m.message.header.msg_type), ["x_request", "y_request"]);
  kernel.stop();
  await assert.rejects(a, { ended: true });
  await assert.rejects(b, { ended: true });
});

test("a kernel that dies ends what waits, and another can start", async () => {
  const { kernel, workers, events, w } = await started();
  const r = kernel.request("shell", "execute_request", {}), f = kernel.file("get", "/a");
  await turn();
  w.say({ raw: "fatal error: out of memory" });
  w.say({ fault: "the kernel has ended" });
  await assert.rejects(r, { ended: true });
  await assert.rejects(f, { ended: true });
  assert.equal(kernel.state, "dead");
  assert.equal(w.ended, true);
  assert.deepEqual(events.find(([type]) => type === "fault")[1], { text: "the kernel has ended", download: false });
  const again = kernel.start();
  workers[1].say({ ready: {} });
  await again;
  w.say({ fault: "an echo of the old one" });
  assert.equal(kernel.state, "idle");
});

test("what comes before a start can prevent it, and is asked again", async () => {
  const { kernel, workers } = make();
  let ready = false;
  kernel.before = async () => { if (!ready) throw new Error("not yet"); };
  await assert.rejects(kernel.request("shell", "x_request", {}), /not yet/);
  assert.equal(workers.length, 0);
  ready = true;
  const again = kernel.start();
  await turn();
  workers[0].say({ ready: {} });
  await again;
  assert.equal(kernel.state, "idle");
});

test("what is asked for during a restart waits for the new kernel", async () => {
  const { kernel, workers, w } = await started();
  const restarting = kernel.restart(), asked = kernel.request("shell", "x_request", {});
  await turn();
  w.say({ file: { id: w.sent.at(-1).file.id, error: "EIO" } });
  await turn();
  workers[1].say({ ready: {} });
  await restarting;
  await turn();
  assert.equal(workers[1].sent.at(-1).message.header.msg_type, "x_request");
  kernel.stop();
  await assert.rejects(asked, { ended: true });
});

test("a failed download can be tried again", async () => {
  const { kernel, workers, events } = make();
  const first = kernel.start();
  workers[0].say({ progress: 5, total: 10 });
  workers[0].say({ fault: "5 of 10 bytes came", download: true });
  await assert.rejects(first);
  assert.deepEqual(events.find(([type]) => type === "fault")[1].download, true);
  kernel.start(true);
  assert.equal(workers[1].sent[0].start.again, true);
});

test("a restart takes files and the compiled kernel along", async () => {
  const { kernel, workers, w } = await started();
  w.say({ module: "compiled" });
  const restarting = kernel.restart();
  const reply = (result) => w.say({ file: { id: w.sent.at(-1).file.id, result } });
  await turn();
  reply([{ name: "d", folder: true }, { name: "a.txt", folder: false }]);
  await turn();
  reply([]);
  await turn();
  reply(new Uint8Array([7]));
  await turn();
  await turn();
  const { start } = workers[1].sent[0];
  assert.equal(start.module, "compiled");
  assert.deepEqual(start.files, { "/home/notebooks/a.txt": new Uint8Array([7]) });
  assert.equal(w.ended, true);
  workers[1].say({ ready: {} });
  await restarting;
  assert.equal(kernel.state, "idle");
});

test("an answer names its question", async () => {
  const { kernel, w } = await started();
  kernel.answer({ header: { msg_id: "q" } }, "line");
  const m = w.sent.at(-1).message;
  assert.deepEqual([m.channel, m.header.msg_type, m.parent_header.msg_id, m.content.value], ["stdin", "input_reply", "q", "line"]);
});

test("outputs of a comm's messages come also when they are late, comms to all", async () => {
  const { kernel, w, events } = await started(), shown = [];
  kernel.tell("comm_msg", { comm_id: "c", data: 1 }, (m) => shown.push(m.content.text));
  const sent = w.sent.at(-1).message;
  answer(w, sent, "status", { execution_state: "idle" }, "iopub");
  answer(w, sent, "stream", { text: "late" }, "iopub");
  answer(w, sent, "comm_msg", { comm_id: "c" }, "iopub");
  assert.deepEqual(shown, ["late"]);
  assert.deepEqual(events.filter(([type]) => type === "message").map(([, m]) => m.header.msg_type), ["comm_msg"]);
});

test("files are put and errors told", async () => {
  const { kernel, w } = await started();
  const put = kernel.file("put", "/a", new Uint8Array([1]));
  w.say({ file: { id: w.sent.at(-1).file.id, result: undefined } });
  await put;
  const get = kernel.file("get", "/b");
  w.say({ file: { id: w.sent.at(-1).file.id, error: "ENOENT" } });
  await assert.rejects(get, /ENOENT/);
  kernel.stop();
  await assert.rejects(kernel.file("get", "/a"), /does not run/);
});
