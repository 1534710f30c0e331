// The service worker of a folder of live pages: after the first visit they work without network.
//
// Files with a content hash in their name never change: they come from the cache. All else comes from the network
// while there is one, and is kept for when there is none. A page tells which files it is made of
// ({page, files}; a name that ends with a dot stands for all that begin so); hashed files that no page names are dropped.
"use strict";

const cacheName = "overcomplete-live:" + new URL(registration.scope).pathname;
const listAddress = (page) => new URL("overcomplete-live-files?" + encodeURIComponent(page), registration.scope).href;
const hashed = /-[0-9a-f]{8,}\.(?:wasm\.br|wasm\.gz|js)$/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (e) => e.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (e) => {
  const { request } = e, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || !url.href.startsWith(registration.scope)) return;
  if (url.searchParams.has("overcomplete-live-files")) return;
  e.respondWith(hashed.test(url.pathname) ? fixed(e, request) : current(e, request));
});

// open returns the cache, or null where the browser has none: its disk may be full. Then all comes from the network.
const open = () => caches.open(cacheName).catch(() => null);

// keptAt returns what is kept at an address, if the browser can still read it.
const keptAt = (cache, address) => cache?.match(address).catch(() => undefined);

async function fixed(e, request) {
  const cache = await open();
  if (request.cache !== "reload") { // what was kept may be broken
    const kept = await keptAt(cache, request.url);
    if (kept) return kept;
  }
  const response = await fetch(request);
  keep(e, cache, request.url, response);
  return response;
}

async function current(e, request) {
  const cache = await open(), address = request.url.replace(/[?#].*/, "");
  let response;
  try {
    response = await fetch(request);
  } catch (err) {
    const kept = await keptAt(cache, address);
    if (kept) return kept;
    throw err;
  }
  keep(e, cache, address, response);
  return response;
}

// keep stores a whole answer while it is passed on. One that breaks off is not stored.
function keep(e, cache, address, response) {
  if (!cache || response.status !== 200 || response.type !== "basic" || response.redirected) return;
  e.waitUntil(cache.put(address, response.clone()).catch(() => {})); // no room: it works while there is a network
}

self.addEventListener("message", (e) => {
  if (e.data?.page) e.waitUntil(arrange(e.data).catch(() => {})); // no room
});

// arrange keeps what a page is made of, and drops what no page needs.
async function arrange({ page, files }) {
  const cache = await caches.open(cacheName);
  await cache.put(listAddress(page), new Response(JSON.stringify(files)));
  for (const address of [page, ...files.filter((f) => !f.endsWith("."))]) {
    if (!(await cache.match(address))) await cache.add(address).catch(() => {});
  }
  const needed = [];
  const all = await cache.keys();
  for (const { url } of all) if (url.includes("overcomplete-live-files?")) needed.push(...await (await cache.match(url)).json());
  for (const { url } of all) {
    if (hashed.test(new URL(url).pathname) && !needed.some((n) => n.endsWith(".") ? url.startsWith(n) : url === n)) await cache.delete(url);
  }
}
