// The editor of a cell: CodeMirror with Go's grammar, completion and documentation from the kernel.

import { EditorView, keymap, drawSelection, hoverTooltip, showTooltip, tooltips } from "@codemirror/view";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { syntaxHighlighting, HighlightStyle, bracketMatching, indentUnit } from "@codemirror/language";
import { autocompletion, completionKeymap, acceptCompletion, startCompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { goLanguage } from "@codemirror/lang-go";
import { tags as t } from "@lezer/highlight";
import { ansiHTML } from "./ansi.js";

// The colours of an exported page.
const colours = HighlightStyle.define([
  { tag: [t.keyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword], color: "var(--k)" },
  { tag: [t.string, t.character], color: "var(--s)" },
  { tag: t.number, color: "var(--n)" },
  { tag: t.comment, color: "var(--c)" },
  { tag: [t.typeName, t.standard(t.typeName)], color: "var(--t)" },
  { tag: [t.bool, t.null], color: "var(--l)" },
  { tag: [t.function(t.variableName), t.function(t.propertyName)], color: "var(--f)" },
]);

// Positions: CodeMirror counts UTF-16 units, Jupyter's messages count characters.
export const toCharacters = (source, at) => [...source.slice(0, at)].length;
export const fromCharacters = (source, n) => [...source].slice(0, n).join("").length;

// documentation asks the kernel what is at a place, and returns it as an element, or null.
async function documentation(kernel, source, at, detail = 0) {
  if (kernel.state !== "idle" && kernel.state !== "busy") return null;
  let reply;
  try {
    reply = await kernel.request("shell", "inspect_request", { code: source, cursor_pos: toCharacters(source, at), detail_level: detail });
  } catch {
    return null; // the kernel has ended, of which the page tells
  }
  const text = reply.content.found && reply.content.data?.["text/plain"];
  if (!text) return null;
  const e = document.createElement("pre");
  e.className = "live-documentation";
  e.innerHTML = ansiHTML(text);
  return e;
}

// Shift-Tab shows documentation at the cursor; a second time with more detail.
const setTooltip = StateEffect.define();
const shownTooltip = StateField.define({
  create: () => null,
  update(value, tr) {
    for (const e of tr.effects) if (e.is(setTooltip)) return e.value;
    return tr.docChanged || tr.selection ? null : value;
  },
  provide: (f) => showTooltip.from(f),
});

function inspect(kernel, view) {
  const { main } = view.state.selection, line = view.state.doc.lineAt(main.head);
  if (!main.empty || view.state.sliceDoc(line.from, main.head).trim() === "") return indentLess(view);
  const again = view.state.field(shownTooltip) ? 1 : 0;
  documentation(kernel, view.state.doc.toString(), main.head, again).then((dom) => {
    if (dom && view.state.selection.main.head === main.head) view.dispatch({ effects: setTooltip.of({ pos: main.head, above: true, create: () => ({ dom }) }) });
  });
  return true;
}

function closeTooltip(view) {
  if (!view.state.field(shownTooltip)) return false;
  view.dispatch({ effects: setTooltip.of(null) });
  return true;
}

const beforeCursor = (view) => {
  const { head } = view.state.selection.main;
  return view.state.sliceDoc(view.state.doc.lineAt(head).from, head);
};

function tab(view) {
  if (acceptCompletion(view)) return true;
  if (view.state.selection.main.empty && /[\w.%"/]$/.test(beforeCursor(view))) return startCompletion(view);
  if (!view.state.selection.main.empty) return indentMore(view);
  view.dispatch(view.state.replaceSelection("\t"));
  return true;
}

function completion(kernel) {
  return async (context) => {
    if (kernel.state !== "idle" && kernel.state !== "busy") return null;
    if (!context.explicit && !context.matchBefore(/[\w.]+|^%\w*/)) return null;
    const source = context.state.doc.toString();
    let reply;
    try {
      reply = await kernel.request("shell", "complete_request", { code: source, cursor_pos: toCharacters(source, context.pos) });
    } catch {
      return null;
    }
    const { matches = [], cursor_start, metadata } = reply.content;
    if (context.aborted || !matches.length) return null;
    const from = fromCharacters(source, cursor_start), known = metadata?._jupyter_types_experimental ?? [];
    const options = matches.map((label, i) => ({
      label, detail: known[i]?.signature, type: kinds[known[i]?.type] ?? known[i]?.type, boost: -i / matches.length, // the kernel's order
      info: () => {
        const whole = source.slice(0, from) + label + source.slice(context.pos);
        return documentation(kernel, whole, from + label.length);
      },
    }));
    // The kernel finds nd in NewDense: what it has found is shown as it is, and asked for anew with each letter.
    return { from, to: context.pos, options, filter: false };
  };
}

const kinds = { func: "function", var: "variable", const: "constant", package: "namespace", struct: "class", module: "namespace", instance: "variable", field: "property" };

// makeEditor puts an editor before an element. on has changed(source) and run().
export function makeEditor(before, source, label, kernel, on) {
  const command = (f) => () => { f(); return true; };
  const view = new EditorView({
    state: EditorState.create({ doc: source, extensions: [
      Prec.highest(keymap.of([
        { key: "Shift-Enter", run: command(on.run) },
        { key: "Mod-Enter", run: command(on.run) },
        { key: "Tab", run: tab },
        { key: "Shift-Tab", run: (v) => inspect(kernel, v) },
        { key: "Escape", run: closeTooltip },
      ])),
      history(), drawSelection(), bracketMatching(), closeBrackets(), indentUnit.of("\t"), EditorState.tabSize.of(Number(getComputedStyle(before).tabSize) || 4), EditorView.lineWrapping,
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      goLanguage, syntaxHighlighting(colours), shownTooltip,
      autocompletion({ override: [completion(kernel)] }),
      hoverTooltip(async (v, pos) => {
        const word = v.state.wordAt(pos);
        const dom = word && await documentation(kernel, v.state.doc.toString(), Math.min(pos, word.to));
        return dom ? { pos: word.from, end: word.to, above: true, create: () => ({ dom }) } : null;
      }, { hoverTime: 500 }),
      tooltips({ tooltipSpace: () => ({ top: 0, left: 0, right: innerWidth, bottom: innerHeight - (document.getElementById("live")?.offsetHeight ?? 0) }) }), // not under the bar
      EditorView.contentAttributes.of({ "aria-label": label + "; Escape, then Tab leaves it", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
      EditorView.updateListener.of((u) => { if (u.docChanged) on.changed(u.state.doc.toString()); }),
    ] }),
  });
  before.before(view.dom);
  return view;
}
