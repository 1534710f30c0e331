// Bundles the extension into dist. With --vsix FILE [PROGRAM] it also packs it, with the program inside if one is
// given and the file NOTICES.txt beside it, for the platform --target (as VS Code names platforms, for example linux-x64).
import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { crc32, deflateRawSync } from "node:zlib";
import { dirname, join } from "node:path";

const here = import.meta.dirname, common = { absWorkingDir: here, bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning" };
await build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", platform: "node", format: "cjs", external: ["vscode"] });
await build({ ...common, entryPoints: ["src/channel.ts", "src/controls.ts"], outdir: "dist", platform: "browser", format: "esm" });

const { values, positionals } = parseArgs({ options: { vsix: { type: "string" }, target: { type: "string" } }, allowPositionals: true });
if (values.vsix) writeFileSync(values.vsix, pack(values.target, positionals[0]));

// papers returns the notebooks of the papers, without outputs: a quarter of a megabyte in place of nine.
function papers() {
  const folder = join(here, "../../notebooks");
  return readdirSync(folder).filter((name) => name.endsWith(".ipynb")).map((name) => {
    const notebook = JSON.parse(readFileSync(join(folder, name), "utf8"));
    for (const c of notebook.cells) if (c.cell_type === "code") Object.assign(c, { outputs: [], execution_count: null });
    return [`extension/papers/${name}`, JSON.stringify(notebook, null, 1) + "\n"];
  });
}

// pack returns the bytes of a .vsix, which is a zip file.
function pack(target, program) {
  const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  for (const key of ["scripts", "devDependencies", "private"]) delete manifest[key];
  const escape = (s) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const files = [
    ["extension/package.json", JSON.stringify(manifest, null, 2)],
    ...["README.md", ...readdirSync(join(here, "pictures")).map((name) => `pictures/${name}`), "dist/extension.js", "dist/channel.js", "dist/controls.js"].map((name) => [`extension/${name}`, readFileSync(join(here, name))]),
    ...papers(),
    ["extension/LICENSE.txt", readFileSync(join(here, "../../LICENSE"))],
    ["[Content_Types].xml", `<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${
      ["json", "js", "md", "txt", "ipynb", "png", "exe", "vsixmanifest"].map((e) => `<Default Extension=".${e}" ContentType="${{ json: "application/json", js: "application/javascript", md: "text/markdown", txt: "text/plain", ipynb: "application/json", png: "image/png", vsixmanifest: "text/xml" }[e] ?? "application/octet-stream"}"/>`).join("")
    }<Override PartName="/extension/bin/overcomplete" ContentType="application/octet-stream"/></Types>`],
    ["extension.vsixmanifest", `<?xml version="1.0" encoding="utf-8"?><PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata><Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"${target ? ` TargetPlatform="${target}"` : ""}/><DisplayName>${escape(manifest.displayName)}</DisplayName><Description xml:space="preserve">${escape(manifest.description)}</Description><Tags>${manifest.keywords.join(",")}</Tags><Categories>${manifest.categories.join(",")}</Categories><Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="${manifest.engines.vscode}"/><Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${manifest.extensionKind.join(",")}"/></Properties><License>extension/LICENSE.txt</License></Metadata><Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/><Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/><Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/></Assets></PackageManifest>`],
  ];
  if (program) {
    files.push([`extension/bin/overcomplete${program.endsWith(".exe") ? ".exe" : ""}`, readFileSync(program)]);
    files.push(["extension/NOTICES.txt", readFileSync(join(dirname(program), "NOTICES.txt"))]);
  }

  // The format of zip files: for each file a header and the data, then the list of files. The time is fixed, so
  // that the same files give the same bytes.
  const parts = [], list = [];
  let at = 0;
  for (const [name, content] of files) {
    const data = Buffer.from(content), packed = deflateRawSync(data, { level: 9 }), isProgram = name.startsWith("extension/bin/");
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4); // deflated
    common.writeUInt16LE(0x21, 8); // 1980-01-01
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((isProgram ? 0o100755 : 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, tail, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const central = Buffer.concat(list), end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}
