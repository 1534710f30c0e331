// The Testing view: cells that begin with %%test, and the tests that they declare. A test runs with its cell.

import * as vscode from "vscode";
import { isGoNotebook } from "./extension";
import { isGo, runCells, type Session } from "./session";

const declaration = /^func ((?:Test|Fuzz|Example|Benchmark)[\p{L}\p{N}_]*)\(/u;

export function tests(session: (notebook: vscode.NotebookDocument) => Session): vscode.Disposable[] {
  const controller = vscode.tests.createTestController("overcomplete", "Go Notebooks");
  const cells = new WeakMap<vscode.TestItem, vscode.NotebookCell>();

  function update(notebook: vscode.NotebookDocument) {
    const id = notebook.uri.toString(), found = isGoNotebook(notebook) ? notebook.getCells().filter((c) => isGo(c) && c.document.getText().startsWith("%%test")) : [];
    if (!found.length) return controller.items.delete(id);
    const item = controller.items.get(id) ?? controller.createTestItem(id, notebook.uri.path.replace(/^.*\//, ""), notebook.uri);
    item.children.replace(found.flatMap((cell) => cell.document.getText().split("\n").flatMap((line, n) => {
      const name = line.match(declaration)?.[1], uri = cell.document.uri;
      if (!name) return [];
      const test = controller.createTestItem(`${uri} ${name}`, name, uri);
      test.range = new vscode.Range(n, 0, n, line.length);
      cells.set(test, cell);
      return [test];
    })));
    return controller.items.add(item);
  }

  controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, async (request, token) => {
    const run = controller.createTestRun(request), byCell = new Map<vscode.NotebookCell, vscode.TestItem[]>();
    const add = (item: vscode.TestItem) => {
      const cell = cells.get(item);
      if (request.exclude?.includes(item)) return;
      if (cell) byCell.set(cell, [...byCell.get(cell) ?? [], item]);
      else item.children.forEach(add);
    };
    if (request.include) request.include.forEach(add);
    else controller.items.forEach(add);
    try {
      for (const [cell, items] of byCell) {
        if (token.isCancellationRequested) break;
        const own = session(cell.notebook), stop = token.onCancellationRequested(() => void own.interrupt());
        items.forEach((item) => run.started(item));
        try {
          await runCells(cell.notebook, [cell]);
        } finally {
          stop.dispose();
        }
        tell(run, cell, items, own.errorOf(cell));
      }
    } finally {
      run.end();
    }
  }, true);

  vscode.workspace.notebookDocuments.forEach(update);
  return [
    controller,
    vscode.workspace.onDidOpenNotebookDocument(update),
    vscode.workspace.onDidChangeNotebookDocument(({ notebook, contentChanges, cellChanges }) => {
      if (contentChanges.length || cellChanges.some((c) => c.document)) update(notebook);
    }),
    vscode.workspace.onDidCloseNotebookDocument((notebook) => controller.items.delete(notebook.uri.toString())),
  ];
}

// tell reads the results in what the cell has printed, which has the form of go test.
function tell(run: vscode.TestRun, cell: vscode.NotebookCell, items: vscode.TestItem[], error: string | undefined) {
  const text = cell.outputs.flatMap((o) => o.items).filter((i) => i.mime === "application/vnd.code.notebook.stdout").map((i) => new TextDecoder().decode(i.data)).join("");
  run.appendOutput(text.replace(/\n/g, "\r\n"));
  const results = new Map([...text.matchAll(/^--- (FAIL|SKIP): (\S+).*\n((?:[ \t].*\n?)*)/gm)].map(([, how, name, why]) => [name, { how, why: why ?? "" }]));
  const failed = [...results.values()].some((r) => r.how === "FAIL");
  for (const item of items) {
    const result = results.get(item.label);
    if (result?.how === "SKIP") run.skipped(item);
    else if (result) {
      const message = new vscode.TestMessage(result.why.trim() || "failed"), line = result.why.match(/In\[\d+\]:(\d+)/)?.[1];
      message.location = new vscode.Location(cell.document.uri, line ? new vscode.Position(Number(line) - 1, 0) : item.range ?? new vscode.Position(0, 0));
      run.failed(item, message);
    } else if (error !== undefined && !failed) run.errored(item, new vscode.TestMessage(error));
    else if (item.label.startsWith("Benchmark") && !text.includes(item.label)) run.skipped(item);
    else run.passed(item);
  }
}
