// Links that carry edits: the fragment #edits= and the edits as JSON, deflated, in base64url. Nothing of it
// reaches a server.

import { checked } from "./edits.js";

const key = "edits=";

// longest is what chat programs and mail leave whole, in characters.
export const longest = 8000;

const largest = 4e6; // bytes of edits, unpacked: a stranger's link must not fill the memory

async function through(bytes, stream, limit = Infinity) {
  const parts = [];
  let have = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    have += value.length;
    if (have > limit) {
      reader.cancel();
      throw new Error("too large");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function encode(edits) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(edits)), new CompressionStream("deflate-raw"));
  let s = "";
  for (let i = 0; i < bytes.length; i += 8192) s += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return key + btoa(s).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export const has = (fragment) => fragment.replace(/^#/, "").startsWith(key);

// decode returns the edits that a fragment carries. It throws an Error if they did not come whole.
export async function decode(fragment) {
  const packed = fragment.replace(/^#/, "").slice(key.length);
  try {
    const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), largest))));
  } catch {
    throw new Error("The link's edits did not come whole: some programs cut long links. Ask for the .ipynb file instead.");
  }
}
