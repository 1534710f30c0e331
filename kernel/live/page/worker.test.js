import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test, { after } from "node:test";
import vm from "node:vm";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";

const asset = (name) => readFileSync(new URL("../assets/" + name, import.meta.url));
const read = (name) => (name === "brotli.js" ? brotliDecompressSync(asset(name + ".br")) : asset(name)).toString(); // a bundle

// The smallest program with something to pack: an empty module with a section of its own.
const program = Buffer.concat([Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), Buffer.from([0, 0xe9, 0x07, 1, 0x61]), Buffer.alloc(999, "go")]);
const br = brotliCompressSync(program), gz = gzipSync(program);
const described = (b) => ({ size: b.length, sha256: createHash("sha256").update(b).digest("hex") });

// Ports that are open keep node from ending.
const channels = [];
class Channel extends MessageChannel {
  constructor() {
    super();
    channels.push(this);
  }
}
after(() => channels.forEach((c) => c.port1.close()));

// A worker with a server that has the files; what it posts is collected until it is ready or has ended.
function start(files, more = {}) {
  return new Promise((resolve) => {
    const said = [], asked = [];
    const world = {
      TextEncoder, TextDecoder, MessageChannel: Channel, TransformStream, ReadableStream, DecompressionStream, Response, Blob, WebAssembly, URL, crypto, performance, console, setTimeout,
      addEventListener() {},
      async fetch(url, options) {
        asked.push(url.split("/").pop() + (options.cache ? " " + options.cache : ""));
        const file = files[url.split(".").pop()];
        if (file instanceof Error) throw file;
        if (!file) return new Response("not here", { status: 404 });
        return file instanceof Response ? file : new Response(file, { headers: { "Content-Length": file.length } });
      },
      importScripts: (name) => vm.runInContext(read(name), world),
      postMessage(m) {
        said.push(m);
        if (m.ready || m.fault !== undefined) resolve({ said, asked, world, ready: m.ready, fault: m.fault, download: m.download });
      },
      Go: class {
        importObject = {};
        run() {
          world.overcomplete = { version: "v1", send(text) { world.got = text; } };
          world.overcompleteReady();
          return new Promise((ended) => { world.end = ended; });
        }
      },
      ...more.world,
    };
    world.self = world.globalThis = world;
    vm.createContext(world);
    vm.runInContext(read("memfs.js"), world);
    vm.runInContext(read("worker.js"), world);
    world.onmessage({ data: { start: { kernel: "https://x.invalid/kernel.wasm", html: true, brotli: "brotli.js", ...more.start } } });
  });
}

test("the smaller file is taken, and unpacked by the decoder where the browser has none", async () => {
  const { ready, fault, asked, said, world } = await start({ br, gz });
  assert.equal(fault, undefined);
  assert.equal(ready.version, "v1");
  assert.deepEqual(asked, ["kernel.wasm.br"]);
  assert.deepEqual({ ...said.find((m) => m.progress) }, { progress: br.length, total: br.length });
  assert.ok(said.find((m) => m.module));
  assert.equal(world.overcomplete.html, true);
  assert.equal(world.process.cwd(), "/home/notebooks");
});

test("without decoder, or without that file, the other one is taken", async () => {
  let r = await start({ br, gz }, { start: { brotli: undefined } });
  assert.deepEqual([r.fault, r.asked], [undefined, ["kernel.wasm.gz"]]);
  r = await start({ br, gz }, { world: { importScripts() { throw new Error("not here"); } } });
  assert.deepEqual([r.fault, r.asked], [undefined, ["kernel.wasm.gz"]]);
  r = await start({ gz });
  assert.deepEqual([r.fault, r.asked], [undefined, ["kernel.wasm.br", "kernel.wasm.gz"]]);
  r = await start({ br: new Error("offline"), gz });
  assert.deepEqual([r.fault, r.asked], [undefined, ["kernel.wasm.br", "kernel.wasm.gz"]]);
});

test("a server that unpacks by itself does no harm", async () => {
  const r = await start({ br: new Response(program, { headers: { "Content-Encoding": "br", "Content-Length": String(br.length) } }) }, { start: { check: { br: described(br) } } });
  assert.equal(r.fault, undefined);
});

test("what does not come right is told, to be tried again", async () => {
  const cut = (b) => new Response(b.subarray(0, 20), { headers: { "Content-Length": String(b.length) } });
  for (const [files, more, says] of [
    [{}, {}, /404/],
    [{ br: new Error("offline"), gz: new Error("offline") }, {}, /not reached \(offline\)/],
    [{ br: cut(br) }, {}, new RegExp(`20 of ${br.length} bytes`)],
    [{ br: cut(br) }, { start: { check: { br: described(br) } } }, new RegExp(`20 of ${br.length} bytes`)],
    [{ gz: cut(gz) }, {}, new RegExp(`20 of ${gz.length} bytes`)],
    [{ br: Buffer.from("<!DOCTYPE html>") }, {}, /a page came/],
    [{ br: brotliCompressSync(Buffer.from("no program")) }, {}, /damaged/],
    [{ br: brotliCompressSync(program.subarray(0, 100)) }, {}, /damaged/],
    [{ br }, { start: { check: { br: { ...described(br), sha256: described(gz).sha256 } } } }, /not the file/],
  ]) {
    const r = await start(files, more);
    assert.match(r.fault ?? "none", says, `${Object.keys(files)} ${says}`);
    assert.equal(r.download, true);
  }
});

test("tried again, the browser's copy is not used", async () => {
  assert.deepEqual((await start({ br }, { start: { again: true } })).asked, ["kernel.wasm.br reload"]);
});

test("a compiled kernel needs no download; files are there", async () => {
  const module = await WebAssembly.compile(program);
  const { asked, ready, world } = await start({}, { start: { module, files: { "/home/notebooks/d/a.txt": new Uint8Array([65]) } } });
  assert.ok(ready);
  assert.deepEqual(asked, []);
  assert.deepEqual([...world.memfs.get("d/a.txt")], [65]);
});

test("messages, files, and the end", async () => {
  const { world, said } = await start({ br });
  world.onmessage({ data: { message: { channel: "shell" } } });
  assert.equal(world.got, '{"channel":"shell"}');
  world.overcomplete.onMessage('{"channel":"iopub"}');
  assert.deepEqual(JSON.parse(JSON.stringify(said.at(-1))), { message: { channel: "iopub" } });
  world.onmessage({ data: { file: { id: 1, do: "put", path: "/a", data: new Uint8Array([1, 2]) } } });
  world.onmessage({ data: { file: { id: 2, do: "list", path: "/" } } });
  assert.ok(said.at(-1).file.result.some((e) => e.name === "a" && e.size === 2));
  world.onmessage({ data: { file: { id: 3, do: "get", path: "/none" } } });
  assert.equal(said.at(-1).file.error, "ENOENT");
  world.onmessage({ data: { file: { id: 4, do: "constructor", path: "/a" } } });
  assert.match(said.at(-1).file.error, /unknown/);
  world.end();
  await new Promise((r) => setTimeout(r, 0));
  assert.match(said.at(-1).fault, /has ended/);
  world.got = null;
  world.onmessage({ data: { message: {} } });
  assert.equal(world.got, null, "a kernel that has ended is sent nothing");
});

test("a browser without WebAssembly is told so", async () => {
  assert.match((await start({ br }, { world: { WebAssembly: undefined } })).fault, /no WebAssembly/);
});

test("a browser without room says so, and does not blame the server", async () => {
  const full = new DOMException("no", "QuotaExceededError");
  assert.match((await start({ br: full, gz: full })).fault, /no room on the disk/);
  const estimate = (quota) => ({ navigator: { storage: { estimate: async () => ({ quota, usage: 1e6 }) } } });
  const failed = { br: new TypeError("failed"), gz: new TypeError("failed") }, more = { check: { br: { size: 14e6 } } };
  assert.match((await start(failed, { start: more, world: estimate(5e6) })).fault, /room for only 4 MB.* takes 14 MB/);
  assert.match((await start(failed, { start: more, world: estimate(5e9) })).fault, /^the server was not reached \(failed\)/);
});
