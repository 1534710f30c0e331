import * as vscode from "vscode";
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Tools } from "./extension";
import { cellTexts, changePair } from "./pair";
import { runCells, type Session } from "./session";
import { asText } from "./text";

const run = promisify(execFile);

const first = "// A cell runs with Shift+Enter. Its last expression is shown.\nxs := []float64{3, 1, 4, 1, 5}\nxs";

interface Saved { cells: { cell_type: string; source: string | string[] }[] }

const savedText = (json: string) => asText((JSON.parse(json) as Saved).cells.map((c) => ({ markdown: c.cell_type !== "code", text: [c.source].flat().join("") })));

export function commands(session: (notebook: vscode.NotebookDocument) => Session, tools: Tools, papers: string): vscode.Disposable[] {
  // here calls do with the notebook that the user looks at.
  const here = (do_: (notebook: vscode.NotebookDocument) => unknown) => () => {
    const editor = vscode.window.activeNotebookEditor;
    return editor && do_(editor.notebook);
  };
  // file returns the path of a notebook's saved file.
  async function file(notebook: vscode.NotebookDocument): Promise<string | undefined> {
    if (!notebook.isUntitled && (!notebook.isDirty || await notebook.save())) return notebook.uri.fsPath;
    void vscode.window.showInformationMessage("Save the notebook first: its file is used.");
    return undefined;
  }
  // tell runs the program and returns whether it succeeded. The user can stop it.
  const tell = (notebook: vscode.NotebookDocument, title: string, args: string[]) => vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (_, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    try {
      const { program, environment } = tools.settings(notebook.uri);
      await run(program, args, { cwd: dirname(notebook.uri.fsPath), env: { ...process.env, ...environment }, signal: stop.signal, maxBuffer: 1 << 28 });
      return true;
    } catch (e) {
      if (!token.isCancellationRequested) void vscode.window.showErrorMessage(String((e as { stderr?: string }).stderr || e));
      return false;
    }
  });
  const command = (name: string, do_: () => unknown) => vscode.commands.registerCommand(`overcomplete.${name}`, do_);

  // texts are the documents that Compare without Outputs shows.
  const texts = new Map<string, string>(), changed = new vscode.EventEmitter<vscode.Uri>();
  const show = (name: string, text: string) => {
    const uri = vscode.Uri.from({ scheme: "overcomplete-text", path: name });
    texts.set(uri.path, text);
    changed.fire(uri);
    return uri;
  };

  return [
    changed,
    vscode.workspace.registerTextDocumentContentProvider("overcomplete-text", { onDidChange: changed.event, provideTextDocumentContent: ({ path }) => texts.get(path) ?? "" }),
    command("compare", here(async (notebook) => {
      const { fsPath, path } = notebook.uri, name = basename(fsPath);
      try {
        const { stdout } = await run("git", ["show", `HEAD:./${name}`], { cwd: dirname(fsPath), maxBuffer: 1 << 28 });
        const before = show(`${path}/committed.go`, savedText(stdout)), now = show(`${path}/now.go`, asText(cellTexts(notebook)));
        await vscode.commands.executeCommand("vscode.diff", before, now, `${name}: the last commit, and now`);
      } catch (e) {
        void vscode.window.showErrorMessage(`The last commit has no ${name} to compare with: ${String((e as { stderr?: string }).stderr || e).trim()}`);
      }
    })),
    command("pair", here(async (notebook) => await file(notebook) && changePair(notebook))),
    command("papers", async () => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      if (!folder) return void vscode.window.showInformationMessage("Open a folder first: the notebook is copied into it.");
      const list = readdirSync(papers).map((name) => {
        const first = [(JSON.parse(readFileSync(join(papers, name), "utf8")) as Saved).cells[0]?.source ?? ""].flat().join("");
        return { label: first.replace(/^#\s*|\n[^]*/g, ""), description: name };
      });
      const paper = await vscode.window.showQuickPick(list, { placeHolder: "Which notebook? A copy without results goes into the folder that is open" });
      if (!paper) return;
      const out = join(folder, paper.description);
      if (!existsSync(out)) copyFileSync(join(papers, paper.description), out);
      await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(out), "jupyter-notebook");
    }),
    command("new", async () => {
      const data = new vscode.NotebookData([new vscode.NotebookCellData(vscode.NotebookCellKind.Code, first, "go")]);
      data.metadata = { metadata: { kernelspec: { name: "overcomplete", display_name: "Go (overcomplete)", language: "go" }, language_info: { name: "go" } } };
      await vscode.window.showNotebookDocument(await vscode.workspace.openNotebookDocument("jupyter-notebook", data));
    }),
    command("restart", here((n) => session(n).restart())),
    command("interrupt", here((n) => session(n).interrupt())),
    command("runStale", here((n) => runCells(n, session(n).staleCells()))),
    command("log", () => tools.log.show()),
    command("export", here(async (notebook) => {
      const path = await file(notebook);
      if (!path) return;
      const base = path.replace(/\.ipynb$/, ""), name = basename(base).toLowerCase().replace(/[^a-z0-9]|^[0-9]+/g, "") || "notebook";
      const forms = [
        { label: "Page", description: "one HTML file", flags: ["--html"], out: `${base}.html` },
        { label: "Slides", description: "one HTML file", flags: ["--slides"], out: `${base}.slides.html` },
        { label: "Markdown", description: "with its pictures", flags: ["--markdown", "--inline"], out: `${base}.md` },
        { label: "Program", description: "a folder with main.go", flags: ["--go"], out: base, shown: "main.go" },
        { label: "Package", description: "a folder with a package to import", flags: ["--go", "--package", name], out: `${base}-package`, shown: `${name}.go` },
      ];
      const form = await vscode.window.showQuickPick(forms, { placeHolder: "Export as" });
      if (!form) return;
      const { flags, out, shown } = form;
      if (await tell(notebook, `Exporting ${basename(path)}`, ["export", ...flags, "--out", out, path])) await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(shown ? join(out, shown) : out));
    })),
    command("runWith", here(async (notebook) => {
      const path = await file(notebook);
      const parameters = path && await vscode.window.showInputBox({ prompt: "Parameters of the copy, such as n=100 rate=0.1 (a cell that begins with %params declares them)" });
      if (!path || parameters === undefined) return;
      const out = path.replace(/\.ipynb$/, "-run.ipynb"), set = parameters.split(/\s+/).filter(Boolean).flatMap((p) => ["--set", p]);
      if (await tell(notebook, `Running ${basename(out)}`, ["run", ...set, "--out", out, path])) await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(out), "jupyter-notebook");
    })),
  ];
}
