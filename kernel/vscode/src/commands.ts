import * as vscode from "vscode";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Tools } from "./extension";
import { runCells, type Session } from "./session";

const run = promisify(execFile);

const first = "// A cell runs with Shift+Enter. Its last expression is shown.\nxs := []float64{3, 1, 4, 1, 5}\nxs";

export function commands(session: (notebook: vscode.NotebookDocument) => Session, tools: Tools): vscode.Disposable[] {
  // here calls do with the notebook that the user looks at.
  const here = (do_: (notebook: vscode.NotebookDocument) => unknown) => () => {
    const editor = vscode.window.activeNotebookEditor;
    return editor && do_(editor.notebook);
  };
  const command = (name: string, do_: () => unknown) => vscode.commands.registerCommand(`overcomplete.${name}`, do_);

  return [
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
      if (notebook.isUntitled || notebook.isDirty && !await notebook.save()) {
        void vscode.window.showInformationMessage("Save the notebook first: its file is exported.");
        return;
      }
      const forms = [
        { label: "Page", description: "one HTML file", flags: ["--html"], ending: ".html" },
        { label: "Slides", description: "one HTML file", flags: ["--slides"], ending: ".slides.html" },
        { label: "Markdown", description: "with its pictures", flags: ["--markdown", "--inline"], ending: ".md" },
        { label: "Program", description: "a folder with a Go program", flags: ["--go"], ending: "" },
      ];
      const form = await vscode.window.showQuickPick(forms, { placeHolder: "Export as" });
      if (!form) return;
      const path = notebook.uri.fsPath, out = path.replace(/\.ipynb$/, "") + form.ending;
      try {
        await run(tools.settings(notebook.uri).program, ["export", ...form.flags, "--out", out, path]);
        await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(form.ending ? out : `${out}/main.go`));
      } catch (e) {
        void vscode.window.showErrorMessage(String((e as { stderr?: string }).stderr || e));
      }
    })),
  ];
}
