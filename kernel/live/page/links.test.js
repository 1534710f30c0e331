import assert from "node:assert/strict";
import test from "node:test";
import { deflateRawSync } from "node:zlib";
import { decode, encode, has } from "./links.js";

const edits = { changed: { a: "x := \"ä + 𝄞\"\n" + "fmt.Println(x)\n".repeat(2000) }, added: [{ id: "n", after: "a", source: "<b>" }], removed: ["r"] };

test("a link brings what it was given", async () => {
  const fragment = await encode(edits);
  assert.match(fragment, /^edits=[A-Za-z0-9_-]+$/, "nothing that a chat program would change");
  assert.ok(fragment.length < 1000, `packed: ${fragment.length}`);
  assert.ok(has("#" + fragment) && !has("#section") && !has(""));
  assert.deepEqual(await decode("#" + fragment), edits);
});

test("a link that was cut says so", async () => {
  const fragment = await encode(edits);
  for (const bad of [fragment.slice(0, -9), "edits=", "edits=%%%", "edits=AAAA", fragment.slice(0, 8) + "x" + fragment.slice(9)]) await assert.rejects(decode(bad), /did not come whole/, bad.slice(0, 40));
});

test("a link cannot fill the memory", async () => {
  const bomb = "edits=" + deflateRawSync(JSON.stringify({ changed: { a: "x".repeat(2e7) } })).toString("base64url");
  assert.ok(bomb.length < 40_000);
  await assert.rejects(decode(bomb), /did not come whole/);
});
