// Bundles the page's script, and the decoder and the sanitiser that it loads when it needs them, into ../assets, or into
// the folder that is given. The bundles are compressed with brotli, because nobody reads them.
import { build } from "esbuild";
import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";

const here = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), out = process.argv[2] ?? join(here, "../assets");

// The licences of what is in a bundle: one comment, each text once.
function licences(inputs) {
  const texts = new Map();
  for (const path of Object.keys(inputs)) {
    const m = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (!m) continue;
    const folder = join(here, "node_modules", m[1]);
    const file = ["LICENSE", "LICENSE-MIT.txt"].map((f) => join(folder, f)).find(existsSync);
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = file ? readFileSync(file, "utf8").trim().replace(/\*\//g, "* /") : about.license;
    if (!texts.has(text)) texts.set(text, new Set());
    texts.get(text).add(`${m[1]} ${about.version}`);
  }
  const parts = [...texts].map(([text, names]) => [...names].sort().join(", ") + "\n\n" + text).sort();
  const made = "Made by 'make live-page' from kernel/live/page.";
  return parts.length ? `/*!\n${made} It contains:\n\n${parts.join("\n\n----\n\n")}\n*/\n` : `/*! ${made} */\n`;
}

async function bundle(entry, name) {
  const options = {
    absWorkingDir: here, entryPoints: [entry], outfile: join(out, name), bundle: true, minify: true, format: "iife", target: ["es2022"],
    charset: "utf8", legalComments: "none", loader: { ".css": "text", ".wasm": "binary" }, logLevel: "warning", metafile: true,
  };
  const { metafile } = await build({ ...options, write: false });
  const { outputFiles } = await build({ ...options, write: false, banner: { js: licences(metafile.inputs) } });
  writeFileSync(join(out, name + ".br"), brotliCompressSync(outputFiles[0].contents));
}

await bundle("main.js", "live.js");
await bundle("brotli.js", "brotli.js");
await bundle("purify.js", "purify.js");
await bundle("measure.js", "measure.js");
