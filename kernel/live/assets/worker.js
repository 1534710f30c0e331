// The kernel's thread. One file with memfs.js and Go's wasm_exec.js before it.
//
// From the page: {start: {kernel, html, files, brotli, check, module, again}}, {message}, {file: {id, do, path, data}}.
// To the page:   {progress, total} (bytes), {module} (compiled: given back, it saves the next start the fetching),
//                {ready: {load, start}} (ms), {message}, {file: {id, result, error}}, {raw} (what the runtime prints
//                when it dies), {fault, download} (the kernel has ended, or could not be fetched).
//
// kernel is the address without .br and .gz; brotli, if given, that of a decoder for browsers which have none;
// check, if given, has {br: {size, sha256}, gz: ...} of the files.
"use strict";
(() => {
  const home = "/home/notebooks"; // the working directory

  // One turn of the event loop, without the delay of a timer: the kernel lets messages in so.
  const { port1, port2 } = new MessageChannel(), turns = [];
  port1.onmessage = () => turns.shift()();
  globalThis.overcompleteTurn = (f) => {
    turns.push(f);
    port2.postMessage(0);
  };

  class DownloadError extends Error {}

  // decoder returns what makes of the file's stream that of the program, or null where there is none.
  async function decoder(kind, brotli) {
    try {
      return new DecompressionStream(kind === "br" ? "brotli" : "gzip");
    } catch {
      if (kind !== "br" || !brotli) return null;
    }
    try {
      importScripts(brotli);
      return await globalThis.brotliDecoder();
    } catch {
      return null; // gzip is larger, and does
    }
  }

  // fetched returns the response for a file, as a stream that reports its progress and fails if it is not whole.
  async function fetched(url, again, expected) {
    let response;
    try {
      response = await fetch(url, again ? { cache: "reload" } : {});
    } catch (err) {
      throw Object.assign(new DownloadError(await noRoom(err, expected?.size) || "the server was not reached (" + err.message + ")"), { absent: true });
    }
    if (!response.ok) throw Object.assign(new DownloadError("the server answered " + response.status + " for " + url), { absent: response.status === 404 });
    const decoded = response.headers.get("Content-Encoding"); // then the length is that of the encoded file
    const total = expected?.size ?? (decoded ? 0 : Number(response.headers.get("Content-Length")) || 0);
    const parts = [], seen = { have: 0, total, error: null };
    let told = 0;
    const watch = new TransformStream({
      transform(chunk, c) {
        const have = seen.have += chunk.length;
        if (expected?.sha256) parts.push(chunk);
        if (have - told > 200_000 || have === total) postMessage({ progress: told = have, total });
        c.enqueue(chunk);
      },
      async flush() {
        if (decoded) return; // these are not the file's bytes
        if (total && seen.have !== total) seen.error = new DownloadError(`${seen.have} of ${total} bytes came`);
        else if (expected?.sha256 && globalThis.crypto?.subtle && await sha256(parts) !== expected.sha256) seen.error = new DownloadError("it is not the file that this page was made with");
        if (seen.error) throw seen.error;
      },
    });
    return { body: response.body.pipeThrough(watch), seen };
  }

  // noRoom says that the browser has no room for a file of that size, if this is or may be why it could not be fetched.
  async function noRoom(err, size) {
    if (err.name === "QuotaExceededError") return "the browser has no room on the disk for it";
    const { quota = Infinity, usage = 0 } = await globalThis.navigator?.storage?.estimate().catch(() => ({})) ?? {};
    const mb = (n) => (n / 1e6).toFixed(0) + " MB";
    return quota - usage < (size ?? 0) && `the browser has room for only ${mb(Math.max(quota - usage, 0))} more of this site, and this takes ${mb(size)}; or the server was not reached (${err.message})`;
  }

  async function sha256(parts) {
    const sum = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
    return Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join("");
  }

  // why says what was wrong with a download. The compiler only knows that there was something.
  function why(err, seen) {
    if (seen?.error || err instanceof DownloadError) return seen?.error ?? err;
    if (err.name === "QuotaExceededError") return new DownloadError("the browser has no room on the disk for it");
    if (seen?.total && seen.have < seen.total) return new DownloadError(`${seen.have} of ${seen.total} bytes came`);
    console.warn("overcomplete:", err); // the compiler's words are for those who look for them
    return new DownloadError("what came is damaged");
  }

  // peek returns the first bytes of a stream, and the stream with them.
  async function peek(body, n) {
    const reader = body.getReader();
    const first = [];
    let have = 0;
    while (have < n) {
      const { done, value } = await reader.read();
      if (done) break;
      first.push(value);
      have += value.length;
    }
    const bytes = new Uint8Array(await new Blob(first).arrayBuffer());
    const rest = new ReadableStream({
      start(c) { if (bytes.length) c.enqueue(bytes); },
      async pull(c) {
        const { done, value } = await reader.read();
        if (done) c.close();
        else c.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return { bytes, rest };
  }

  const isModule = (b) => b[0] === 0 && b[1] === 0x61 && b[2] === 0x73 && b[3] === 0x6d;

  async function load({ kernel, brotli, check, again }) {
    let missing;
    for (const kind of ["br", "gz"]) {
      const decode = await decoder(kind, brotli);
      if (!decode) continue;
      let seen;
      try {
        const file = await fetched(kernel + "." + kind, again, check?.[kind]);
        seen = file.seen;
        const { bytes, rest } = await peek(file.body, 4);
        // A server may have decoded it already. A page in its place is no kernel.
        if (bytes[0] === 0x3c) throw new DownloadError("a page came in place of the kernel");
        const program = isModule(bytes) ? rest : rest.pipeThrough(decode);
        return await WebAssembly.compileStreaming(new Response(program, { headers: { "Content-Type": "application/wasm" } }));
      } catch (err) {
        if (err.absent && kind === "br") { // a folder that was copied without it, or offline with the other one kept
          missing = err;
          continue;
        }
        if (err.absent && missing) break;
        throw why(err, seen);
      }
    }
    throw missing ?? new DownloadError("this browser can unpack neither .br nor .gz");
  }

  async function start(options) {
    if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly, in which the kernel runs");
    memfs.mkdir("/tmp");
    memfs.mkdir(home);
    for (const [path, data] of Object.entries(options.files ?? {})) memfs.put(path, data);
    process.chdir(home);
    const begun = performance.now();
    const module = options.module ?? await load(options);
    if (!options.module) postMessage({ module });
    const loaded = performance.now();
    globalThis.overcompleteRaw = (_, text) => postMessage({ raw: text });
    const go = new Go();
    // To the garbage collector an address of code, which package reflect keeps, can look like one of a large heap.
    // A tab that takes little memory is worth more collections: after a lecture it is 80 to 95 MB less with 50, and
    // another 9 to 11 MB with 30.
    go.env = { HOME: "/home", TMPDIR: "/tmp", GODEBUG: "invalidptr=0", GOGC: "30" };
    go.exit = (code) => { if (code !== 0) ended("the kernel has ended with status " + code); };
    globalThis.overcompleteImports?.(go.importObject); // modules beside Go's, where the worker has such
    const instance = await WebAssembly.instantiate(module, go.importObject);
    globalThis.overcompleteInstance?.(instance);
    const ready = new Promise((resolve) => { globalThis.overcompleteReady = resolve; });
    go.run(instance).then(() => ended("the kernel has ended"), (err) => ended(String(err?.message ?? err)));
    await ready;
    overcomplete.html = !!options.html;
    overcomplete.onMessage = (json) => postMessage({ message: JSON.parse(json) });
    postMessage({ ready: { load: loaded - begun, start: performance.now() - loaded, version: overcomplete.version } });
  }

  let over = false;
  function ended(text, download = false) {
    if (over) return;
    over = true;
    postMessage({ fault: text, download });
  }

  const fileActions = new Map([["put", memfs.put], ["get", memfs.get], ["list", memfs.entries], ["remove", memfs.remove]]);
  function file({ id, do: what, path, data }) {
    try {
      const f = fileActions.get(what);
      if (!f) throw new Error("unknown: " + what);
      const result = f(path, data);
      postMessage({ file: { id, result } }, result instanceof Uint8Array ? [result.buffer] : []);
    } catch (err) {
      postMessage({ file: { id, error: err.code ?? err.message } });
    }
  }

  // The kernel dies of an error that a call from outside it meets, too: a trap leaves no way back.
  globalThis.addEventListener("error", (e) => ended(e.message));
  globalThis.addEventListener("unhandledrejection", (e) => ended(String(e.reason?.message ?? e.reason)));

  onmessage = ({ data }) => {
    if (data.start) start(data.start).catch((err) => ended(err.message, err instanceof DownloadError));
    else if (data.message && !over) overcomplete.send(JSON.stringify(data.message));
    else if (data.file) file(data.file);
  };
})();
