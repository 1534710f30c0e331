import * as vscode from "vscode";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { asText, cellsOf, headerOf, type TextCell } from "./text";

// A notebook is paired if its metadata names jupytext's form below: then the file _text/NAME.go beside it has its
// cells as text. Whichever of the two is saved, the other follows. Go leaves out folders whose names begin with _.
const form = "_text//go:percent";

interface Inner { jupytext?: { formats?: string } }

const innerOf = (notebook: vscode.NotebookDocument) => notebook.metadata["metadata"] as Inner | undefined;
const isPaired = (notebook: vscode.NotebookDocument) => !notebook.isUntitled && !!innerOf(notebook)?.jupytext?.formats?.includes(form);
const pathOf = ({ uri: { fsPath } }: vscode.NotebookDocument) => join(dirname(fsPath), "_text", basename(fsPath, ".ipynb") + ".go");

export const cellTexts = (notebook: vscode.NotebookDocument): TextCell[] => notebook.getCells().map((c) => ({ markdown: c.kind === vscode.NotebookCellKind.Markup, text: c.document.getText() }));

const same = (a: TextCell | undefined, b: TextCell | undefined) => a?.markdown === b?.markdown && a?.text.trimEnd() === b?.text.trimEnd();

// write writes the text of a paired notebook, below the header that jupytext may have written.
function write(notebook: vscode.NotebookDocument) {
  if (!isPaired(notebook)) return;
  const path = pathOf(notebook), old = existsSync(path) ? readFileSync(path, "utf8") : "";
  const text = headerOf(old) + asText(cellTexts(notebook));
  if (text === old) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path + ".new", text);
  renameSync(path + ".new", path);
}

// read takes the cells of the text into a paired notebook. Cells that are equal in both keep their outputs.
async function read(notebook: vscode.NotebookDocument) {
  const path = pathOf(notebook);
  if (!isPaired(notebook) || !existsSync(path)) return;
  const want = cellsOf(readFileSync(path, "utf8")), have = cellTexts(notebook), most = Math.min(want.length, have.length);
  let from = 0, after = 0;
  while (from < most && same(want[from], have[from])) from++;
  while (after < most - from && same(want.at(-1 - after), have.at(-1 - after))) after++;
  const now = want.slice(from, want.length - after), before = have.slice(from, have.length - after);
  if (now.length + before.length === 0) return;
  const take = "Take the Text", keep = "Keep the Notebook";
  if (notebook.isDirty && await vscode.window.showWarningMessage(`${basename(path)} has changed, and ${basename(notebook.uri.fsPath)} has changes that are not saved.`, take, keep) !== take) return;
  const edit = new vscode.WorkspaceEdit();
  if (now.length === before.length && now.every((c, i) => c.markdown === before[i]?.markdown)) {
    now.forEach(({ text }, i) => {
      const { document } = notebook.cellAt(from + i);
      edit.replace(document.uri, document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text);
    });
  } else {
    const cells = now.map(({ markdown, text }) => new vscode.NotebookCellData(markdown ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code, text, markdown ? "markdown" : "go"));
    edit.set(notebook.uri, [vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(from, have.length - after), cells)]);
  }
  await vscode.workspace.applyEdit(edit);
  await notebook.save();
}

// changePair begins or ends the pairing of a saved notebook. At its end the text stays.
export async function changePair(notebook: vscode.NotebookDocument) {
  const { jupytext, ...inner } = innerOf(notebook) ?? {}, begins = !jupytext?.formats?.includes(form), edit = new vscode.WorkspaceEdit();
  edit.set(notebook.uri, [vscode.NotebookEdit.updateNotebookMetadata({ ...notebook.metadata, metadata: begins ? { ...inner, jupytext: { ...jupytext, formats: `ipynb,${form}` } } : inner })]);
  await vscode.workspace.applyEdit(edit);
  await notebook.save();
  if (begins) await vscode.window.showTextDocument(vscode.Uri.file(pathOf(notebook)), { viewColumn: vscode.ViewColumn.Beside, preview: false });
  else void vscode.window.showInformationMessage(`${basename(notebook.uri.fsPath)} and its text no longer follow each other.`);
}

export function pairing(): vscode.Disposable[] {
  const changed = async ({ fsPath }: vscode.Uri) => {
    for (const n of vscode.workspace.notebookDocuments) if (isPaired(n) && pathOf(n) === fsPath) await read(n);
  };
  const opened = async (n: vscode.NotebookDocument) => {
    if (isPaired(n) && existsSync(pathOf(n)) && statSync(pathOf(n)).mtimeMs > statSync(n.uri.fsPath).mtimeMs) await read(n);
  };
  const watcher = vscode.workspace.createFileSystemWatcher("**/_text/*.go");
  vscode.workspace.notebookDocuments.forEach((n) => void opened(n));
  return [
    watcher, watcher.onDidChange(changed), watcher.onDidCreate(changed), vscode.workspace.onDidSaveTextDocument(({ uri }) => changed(uri)),
    vscode.workspace.onDidOpenNotebookDocument(opened), vscode.workspace.onDidSaveNotebookDocument(write),
  ];
}
