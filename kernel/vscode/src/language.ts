// What the editor shows while the user types. The answers come from the session, so they know all cells that have
// run, the values of variables and the packages.

import * as vscode from "vscode";
import type { Content, Fault, Place } from "./kernel";
import type { Session } from "./session";

// Find returns the session of the notebook that a cell's document belongs to, if sessions may be used.
type Find = (document: vscode.TextDocument) => { session: Session; cell: vscode.NotebookCell } | undefined;

const selector: vscode.DocumentSelector = { notebookType: "jupyter-notebook", language: "go" };

const kinds: { [kind: string]: vscode.CompletionItemKind } = {
  function: vscode.CompletionItemKind.Function, method: vscode.CompletionItemKind.Method, class: vscode.CompletionItemKind.Class,
  variable: vscode.CompletionItemKind.Variable, field: vscode.CompletionItemKind.Field, constant: vscode.CompletionItemKind.Constant,
  module: vscode.CompletionItemKind.Module, keyword: vscode.CompletionItemKind.Keyword, magic: vscode.CompletionItemKind.Event,
  path: vscode.CompletionItemKind.File, environment: vscode.CompletionItemKind.Value,
};

// The kernel counts characters, and VS Code UTF-16 code units.
const characters = (s: string) => [...s].length;
const units = (s: string, n: number) => [...s].slice(0, n).join("").length;

function cursor(document: vscode.TextDocument, position: vscode.Position) {
  const code = document.getText().replace(/\r\n/g, "\n"), offset = document.getText(new vscode.Range(new vscode.Position(0, 0), position)).replace(/\r\n/g, "\n");
  return { code, cursor_pos: characters(offset) };
}

// range returns the place of a name in a cell.
function range(document: vscode.TextDocument, { line, column, end }: Pick<Place, "line" | "column" | "end">) {
  const n = Math.min(line, document.lineCount) - 1, { text } = document.lineAt(n);
  return new vscode.Range(n, units(text, column - 1), n, units(text, end - 1));
}

const markdown = (content: Content) => {
  const text = content.data?.["text/markdown"];
  return typeof text === "string" ? new vscode.MarkdownString(text) : undefined;
};

export function languageFeatures(find: Find): vscode.Disposable[] {
  async function ask(document: vscode.TextDocument, type: string, content: object): Promise<Content | undefined> {
    try {
      return (await find(document)?.session.request(type, content))?.content;
    } catch {
      return undefined; // the session has ended, and has said so
    }
  }
  const inspect = (document: vscode.TextDocument, code: string, cursor_pos: number) => ask(document, "inspect_request", { code, cursor_pos, detail_level: 0 });

  const completion: vscode.CompletionItemProvider<vscode.CompletionItem & { inspect?: () => Promise<Content | undefined> }> = {
    async provideCompletionItems(document, position) {
      const at = cursor(document, position), answer = await ask(document, "complete_request", at);
      if (!answer?.matches?.length) return undefined;
      const from = document.positionAt(units(at.code, answer.cursor_start ?? at.cursor_pos)), typed = document.getText(new vscode.Range(from, position));
      const types = (answer.metadata?.["_jupyter_types_experimental"] ?? []) as { type: string }[];
      return new vscode.CompletionList(answer.matches.map((match, i) => ({
        label: match, kind: kinds[types[i]?.type ?? ""] ?? vscode.CompletionItemKind.Text, range: new vscode.Range(from, position),
        sortText: String(i).padStart(5, "0"), filterText: typed + match, preselect: i === 0,
        inspect: () => {
          const start = answer.cursor_start ?? 0, head = at.code.slice(0, units(at.code, start)) + match;
          return inspect(document, head + at.code.slice(units(at.code, at.cursor_pos)), characters(head));
        },
      })), true);
    },
    async resolveCompletionItem(item) {
      const answer = await item.inspect?.(), documentation = answer && markdown(answer);
      if (documentation) item.documentation = documentation;
      return item;
    },
  };

  const hover: vscode.HoverProvider = {
    async provideHover(document, position) {
      const word = document.getWordRangeAtPosition(position, /%{0,2}[\p{L}_][\p{L}\p{N}_]*/u);
      if (!word) return undefined;
      const at = cursor(document, position), answer = await inspect(document, at.code, at.cursor_pos), text = answer?.found ? markdown(answer) : undefined;
      return text && new vscode.Hover(text, word);
    },
  };

  const signature: vscode.SignatureHelpProvider = {
    async provideSignatureHelp(document, position) {
      const at = cursor(document, position), code = [...at.code].slice(0, at.cursor_pos).join("").replace(/[\p{L}\p{N}_."]*$/u, "");
      const answer = await inspect(document, code, characters(code)), [head, now] = String(answer?.data?.["text/plain"] ?? "").split("\n\n");
      if (!answer?.found || !head?.startsWith("func")) return undefined;
      const help = new vscode.SignatureHelp(), info = new vscode.SignatureInformation(head, markdown(answer) ?? "");
      const m = now?.match(/^parameter (\d+) of (\d+): (.*)$/);
      if (m) {
        // The names and types of the other parameters are not told apart: only the present one is marked.
        const i = head.indexOf(m[3] ?? "", head.indexOf(")") < head.indexOf("(", 6) && head.startsWith("func (") ? head.indexOf(")") : 0);
        if (i >= 0) info.parameters = [new vscode.ParameterInformation([i, i + (m[3] ?? "").length])];
      }
      help.signatures = [info];
      help.activeParameter = 0;
      return help;
    },
  };

  const formatting: vscode.DocumentFormattingEditProvider = {
    async provideDocumentFormattingEdits(document) {
      const code = document.getText(), answer = await ask(document, "overcomplete_format_request", { code });
      if (answer?.status !== "ok" || answer.code === undefined || answer.code === code) return [];
      return [vscode.TextEdit.replace(new vscode.Range(0, 0, document.lineCount, 0), answer.code)];
    },
  };

  async function names(document: vscode.TextDocument, position: vscode.Position) {
    const found = find(document);
    if (!found) return undefined;
    const cells = found.session.goCells(), at = cursor(document, position);
    const answer = await ask(document, "overcomplete_names_request", { cells: cells.map((c) => c.document.getText()), cell: cells.indexOf(found.cell), cursor_pos: at.cursor_pos });
    const location = (p: Place) => {
      const to = cells[p.cell]?.document;
      if (to) return new vscode.Location(to.uri, range(to, p));
      return p.file ? new vscode.Location(vscode.Uri.file(p.file), new vscode.Position(p.line - 1, 0)) : undefined;
    };
    const all = (list: Place[] | undefined) => (list ?? []).map(location).filter((l) => l !== undefined);
    return { declared: all(answer?.declared), uses: all(answer?.uses), fixed: answer?.fixed, cells };
  }

  const rename: vscode.RenameProvider = {
    async prepareRename(document, position) {
      const found = await names(document, position), here = found?.uses.find((u) => u.uri.toString() === document.uri.toString() && u.range.contains(position));
      if (found?.fixed) throw new Error(`${found.fixed}, and cannot be renamed here.`);
      if (!here) throw new Error("There is no name here.");
      return here.range;
    },
    async provideRenameEdits(document, position, name) {
      if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw new Error(`${name} is not a name in Go.`);
      const edit = new vscode.WorkspaceEdit();
      for (const { uri, range } of (await names(document, position))?.uses ?? []) edit.replace(uri, range, name);
      return edit;
    },
  };

  return [
    vscode.languages.registerCompletionItemProvider(selector, completion, ".", "%", "\"", "/"),
    vscode.languages.registerHoverProvider(selector, hover),
    vscode.languages.registerSignatureHelpProvider(selector, signature, "(", ","),
    vscode.languages.registerDocumentFormattingEditProvider(selector, formatting),
    vscode.languages.registerDefinitionProvider(selector, { provideDefinition: async (d, p) => (await names(d, p))?.declared }),
    vscode.languages.registerReferenceProvider(selector, { provideReferences: async (d, p) => (await names(d, p))?.uses }),
    vscode.languages.registerDocumentHighlightProvider(selector, {
      provideDocumentHighlights: async (d, p) => (await names(d, p))?.uses.filter((u) => u.uri.toString() === d.uri.toString()).map((u) => new vscode.DocumentHighlight(u.range)),
    }),
    vscode.languages.registerRenameProvider(selector, rename),
  ];
}

// Checks shows what does not compile, while the user types.
export class Checks {
  private readonly list = vscode.languages.createDiagnosticCollection("go notebook");
  private readonly changed = new Map<string, boolean>(); // of the cells that are being checked: whether they have to be again
  private readonly missed = new Set<string>(); // the cells that could not be checked, because a cell was running
  readonly disposables: vscode.Disposable[];

  constructor(private readonly find: Find) {
    this.disposables = [
      this.list,
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.soon(document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.soon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.list.delete(document.uri);
        this.missed.delete(document.uri.toString());
      }),
      vscode.languages.registerCodeActionsProvider(selector, {
        provideCodeActions: (d, _, { diagnostics }) => [...diagnostics.flatMap((f) => fixes(d, f)), ...imports(d, this.list.get(d.uri) ?? [])],
      }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.SourceOrganizeImports] }),
    ];
  }

  // soon checks a cell, at once unless a check of it is under way: then after that one.
  soon(document: vscode.TextDocument) {
    if (!this.find(document)) return;
    const key = document.uri.toString(), first = !this.changed.has(key);
    this.changed.set(key, !first);
    if (!first) return;
    void this.check(document).finally(() => {
      const again = this.changed.get(key);
      this.changed.delete(key);
      if (again) this.soon(document);
    });
  }

  // again checks what is on the screen, had faults, or could not be checked, after a cell has run.
  again(session: Session) {
    const visible = vscode.window.visibleNotebookEditors.filter((e) => e.notebook === session.notebook).flatMap((e) => e.visibleRanges.flatMap((r) => e.notebook.getCells(r)));
    for (const cell of session.goCells()) {
      const { uri } = cell.document;
      if (visible.includes(cell) || this.list.get(uri)?.length || this.missed.has(uri.toString())) this.soon(cell.document);
    }
  }

  private async check(document: vscode.TextDocument) {
    const found = this.find(document);
    if (!found || document.isClosed || !vscode.workspace.getConfiguration("overcomplete", document.uri).get("checkWhileTyping", true)) {
      this.list.delete(document.uri);
      return;
    }
    const { session, cell } = found, version = document.version;
    const others = session.goCells().filter((c) => c !== cell && !session.hasRun(c)).map((c) => c.document.getText());
    const answer = await session.request("overcomplete_check_request", { code: document.getText(), others }).catch(() => undefined);
    if (answer?.content.busy) this.missed.add(document.uri.toString());
    else this.missed.delete(document.uri.toString());
    if (!answer || answer.content.busy || document.version !== version) return;
    this.list.set(document.uri, (answer.content.faults ?? []).map((f: Fault) => {
      const d = new vscode.Diagnostic(range(document, f), f.hint ? `${f.message}\n${f.hint}` : f.message);
      d.source = "Go";
      return d;
    }));
  }
}

// fixes returns what the hint of a fault suggests.
function fixes(document: vscode.TextDocument, fault: vscode.Diagnostic): vscode.CodeAction[] {
  const [, hint = ""] = fault.message.split("\n");
  const fix = (title: string, edit: (e: vscode.WorkspaceEdit) => void) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    edit(action.edit);
    action.diagnostics = [fault];
    return action;
  };
  const list: vscode.CodeAction[] = [], meant = hint.match(/^did you mean (.*?)\?/)?.[1];
  for (const name of meant?.split(/, or |, | or /) ?? []) {
    // The fault is at the whole of fmt.Printn, or at what follows the dot.
    const short = document.getText(fault.range).includes(".") ? name : name.slice(name.lastIndexOf(".") + 1);
    const before = document.lineAt(fault.range.start.line).text.slice(0, fault.range.start.character);
    list.push(fix(`Change to ${name}`, (e) => e.replace(document.uri, fault.range, before.endsWith(".") ? short : name)));
  }
  for (const statement of missing(fault)) list.push(fix(`Add ${statement}`, (e) => e.insert(document.uri, top(document), statement + "\n")));
  return list;
}

// missing returns the imports that the hint of a fault suggests.
function missing(fault: vscode.Diagnostic) { return [...(fault.message.split("\n")[1] ?? "").matchAll(/import "[^"]+"/g)].map(([statement]) => statement); }

// top returns the place of imports in a cell.
function top(document: vscode.TextDocument) { return new vscode.Position(document.lineAt(0).text.startsWith("%%") ? 1 : 0, 0); }

// imports returns the action that adds all imports of which there is no doubt. Those that are there may stay: other
// cells use them too.
function imports(document: vscode.TextDocument, faults: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  const clear = new Set(faults.map(missing).filter((list) => list.length === 1).flat());
  if (!clear.size) return [];
  const action = new vscode.CodeAction("Add the missing imports", vscode.CodeActionKind.SourceOrganizeImports);
  action.edit = new vscode.WorkspaceEdit();
  action.edit.insert(document.uri, top(document), [...clear].sort().join("\n") + "\n");
  return [action];
}
