// Runs the cells of a notebook in the kernel for browsers, under node: node notebook.cjs < PLAN
//
// PLAN is JSON: worker, the script of the page's worker; kernel, the .wasm, which may end in .br; folder,
// which becomes the project's folder in the kernel's file system (/home) and is given what the kernel
// writes; cells [{id, source}]. Printed is a line of JSON a cell: {id, milliseconds, outputs}, with
// outputs as in a notebook but streams in pieces. The first cell that fails ends the run.
"use strict";
const disk = require("node:fs"), path = require("node:path"), { performance } = require("node:perf_hooks");
const node = process; // memfs.js has a process of its own
const home = "/home", plan = JSON.parse(disk.readFileSync(0, "utf8"));

// each calls f(path from the folder) for each file in a folder of the disk.
function each(folder, f, below = "/") {
  for (const e of disk.readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = path.posix.join(below, e.name);
    if (e.isDirectory()) each(folder, f, name); else f(name);
  }
}

// save writes what has changed in the kernel's file system to the disk.
function save(known, below = "/") {
  for (const { name, folder } of globalThis.memfs.entries(home + below)) {
    const file = path.posix.join(below, name), at = path.join(plan.folder, file);
    if (folder) { save(known, file); continue; }
    const data = Buffer.from(globalThis.memfs.get(home + file));
    if (known.get(file)?.equals(data)) continue;
    disk.mkdirSync(path.dirname(at), { recursive: true });
    disk.writeFileSync(at, data);
  }
}

let heard = () => {}; // is given what the worker says

// start runs the worker's script as a browser does, in this thread.
async function start() {
  globalThis.postMessage = (m) => heard(m);
  globalThis.addEventListener = () => {}; // for errors, which end this program
  globalThis.onmessage = null;
  require(path.resolve(plan.worker));
  const known = new Map(), files = {};
  each(plan.folder, (file) => {
    const data = disk.readFileSync(path.join(plan.folder, file));
    known.set(file, data);
    files[home + file] = new Uint8Array(data);
  });
  const packed = disk.readFileSync(plan.kernel);
  const module = await WebAssembly.compile(plan.kernel.endsWith(".br") ? require("node:zlib").brotliDecompressSync(packed) : packed);
  await new Promise((resolve, reject) => {
    heard = (m) => {
      if (m.ready) resolve();
      else if (m.fault) reject(new Error(m.fault));
    };
    globalThis.onmessage({ data: { start: { module, files } } });
  });
  return known;
}

// execute runs one cell.
function execute(id, code) {
  return new Promise((resolve, reject) => {
    const outputs = [], shown = new Map();
    let status = "";
    heard = ({ message, fault, raw }) => {
      if (raw) console.error(raw);
      if (fault) reject(new Error(fault));
      if (!message || message.parent_header.msg_id !== id) return;
      const kind = message.header.msg_type, { transient, ...content } = message.content;
      if (kind === "execute_reply") status = content.status;
      else if (["stream", "display_data", "execute_result", "error"].includes(kind)) {
        outputs.push({ output_type: kind, ...content });
        if (transient?.display_id) shown.set(transient.display_id, outputs.length - 1);
      } else if (kind === "update_display_data") {
        const at = shown.get(transient.display_id);
        if (at !== undefined) outputs[at] = { ...outputs[at], ...content };
      } else if (kind === "clear_output") outputs.length = 0;
      else if (kind === "status" && content.execution_state === "idle" && status) resolve({ status, outputs });
    };
    globalThis.onmessage({ data: { message: {
      channel: "shell",
      header: { msg_id: id, session: "node", username: "", date: "", msg_type: "execute_request", version: "5.4" },
      parent_header: {}, metadata: {}, content: { code, silent: false, store_history: false, allow_stdin: false },
    } } });
  });
}

(async () => {
  const known = await start();
  let failed = false;
  for (const cell of plan.cells) {
    const begin = performance.now();
    const { status, outputs } = await execute(cell.id, cell.source);
    console.log(JSON.stringify({ id: cell.id, milliseconds: performance.now() - begin, outputs }));
    if (status !== "ok") { failed = true; break; }
  }
  save(known);
  node.exitCode = failed ? 1 : 0;
  node.stdout.write("", () => node.exit());
})().catch((e) => { console.error(e); node.exit(1); });
