import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

const scope = "https://x.invalid/course/";

const quota = () => new DOMException("no room", "QuotaExceededError");

// A service worker with caches of its own, and a network that the test may take away.
function make({ full = "" } = {}) {
  const stores = new Map(), listeners = {}, asked = [];
  const net = { files: {}, down: false };
  const cache = () => {
    const all = new Map();
    const key = (r) => typeof r === "string" ? r : r.url;
    return {
      match: async (r) => { if (full === "match") throw quota(); return all.get(key(r))?.clone(); },
      put: async (r, response) => { all.set(key(r), new Response(await response.arrayBuffer())); },
      async add(r) {
        const response = await world.fetch({ url: key(r) });
        if (!response.ok) throw new Error("no");
        await this.put(r, response);
      },
      keys: async () => [...all.keys()].map((url) => ({ url })),
      delete: async (r) => all.delete(key(r)),
    };
  };
  const world = {
    URL, Response, console, location: new URL(scope + "sw.js"), registration: { scope },
    caches: { async open(name) {
      if (full === "open") throw quota();
      if (!stores.has(name)) stores.set(name, cache());
      return stores.get(name);
    } },
    async fetch(request) {
      asked.push(request.url);
      if (net.down) throw new TypeError("offline");
      const text = net.files[request.url.replace(/[?#].*/, "")];
      const response = new Response(text ?? "not here", { status: text === undefined ? 404 : 200 });
      Object.defineProperty(response, "type", { value: "basic" });
      return response;
    },
    addEventListener: (type, f) => { listeners[type] = f; },
    skipWaiting() {}, clients: { claim() {} },
  };
  world.self = world;
  vm.runInNewContext(readFileSync(new URL("../assets/sw.js", import.meta.url), "utf8"), world);
  async function run(type, e) {
    const waits = [];
    let answer;
    listeners[type]({ ...e, waitUntil: (p) => waits.push(p), respondWith: (p) => { answer = p; } });
    const response = await answer;
    await Promise.all(waits);
    return response;
  }
  const get = async (url, more = {}) => {
    const r = await run("fetch", { request: { url, method: "GET", ...more } });
    return r && `${r.status} ${await r.text()}`;
  };
  return { net, asked, get, tell: (data) => run("message", { data }), kept: async () => (await [...stores.values()][0].keys()).map((k) => k.url.slice(scope.length)).filter((u) => !u.includes("live-files")) };
}

const kernel = scope + "live/kernel-0123456789ab.wasm.br", page = scope + "lecture.html";

test("hashed files are fetched once, pages each time, and both are there offline", async () => {
  const { net, asked, get } = make();
  net.files = { [kernel]: "k", [page]: "p1" };
  assert.equal(await get(kernel), "200 k");
  assert.equal(await get(kernel), "200 k");
  assert.equal(asked.length, 1);
  assert.equal(await get(page), "200 p1");
  net.files[page] = "p2";
  assert.equal(await get(page + "?edits=1"), "200 p2");
  net.down = true;
  assert.equal(await get(page), "200 p2");
  assert.equal(await get(page + "?opened=3"), "200 p2", "the same page");
  assert.equal(await get(kernel), "200 k");
  await assert.rejects(get(scope + "other.html"));
});

test("what may be broken is fetched anew", async () => {
  const { net, get } = make();
  net.files[kernel] = "broken";
  await get(kernel);
  net.files[kernel] = "right";
  assert.equal(await get(kernel, { cache: "reload" }), "200 right");
  assert.equal(await get(kernel), "200 right");
});

test("failures are not kept, and others' requests not touched", async () => {
  const { net, get } = make();
  assert.equal(await get(kernel), "404 not here");
  net.files[kernel] = "k";
  assert.equal(await get(kernel), "200 k");
  assert.equal(await get("https://elsewhere.invalid/a.js"), undefined);
  assert.equal(await get("https://x.invalid/other/a.js"), undefined);
  assert.equal(await get(page, { method: "POST" }), undefined);
});

test("a page's files are kept, those that no page names dropped", async () => {
  const { net, get, tell, kept } = make();
  const file = (name) => scope + "live/" + name;
  for (const name of ["live-0000000001.js", "live-0000000002.js", "kernel-00000000aa.wasm.br", "kernel-00000000bb.wasm.gz"]) net.files[file(name)] = name;
  net.files[page] = net.files[scope + "b.html"] = "p";
  await get(file("kernel-00000000aa.wasm.br"));
  await get(file("kernel-00000000bb.wasm.gz"));
  await tell({ page, files: [file("live-0000000001.js"), file("kernel-00000000aa.wasm.")] });
  assert.deepEqual((await kept()).sort(), ["lecture.html", "live/kernel-00000000aa.wasm.br", "live/live-0000000001.js"]);
  await tell({ page: scope + "b.html", files: [file("live-0000000002.js")] });
  assert.ok((await kept()).includes("live/live-0000000001.js"), "the first page needs it still");
  await tell({ page, files: [file("live-0000000002.js"), file("kernel-00000000aa.wasm.")] });
  assert.ok(!(await kept()).includes("live/live-0000000001.js"));
  net.down = true;
  assert.equal(await get(file("live-0000000002.js")), "200 live-0000000002.js");
});

test("without room on the disk all comes from the network", async () => {
  for (const full of ["open", "match"]) {
    const { net, get, tell } = make({ full });
    net.files = { [kernel]: "k", [page]: "p" };
    assert.equal(await get(kernel), "200 k", full);
    assert.equal(await get(page), "200 p", full);
    await tell({ page, files: [kernel] });
    net.down = true;
    await assert.rejects(get(page));
  }
});
