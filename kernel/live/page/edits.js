// What a reader has changed of a notebook: {changed: {id: source}, added: [{id, after, source}], removed: [id]}.
// A browser's storage keeps it, and a link carries it.

import { newID } from "./notebookfile.js";

export const none = () => ({ changed: {}, added: [], removed: [] });

export const isEmpty = (e) => !Object.keys(e.changed).length && !e.added.length && !e.removed.length;

// editsOf returns what differs from the notebook as it was published.
export function editsOf(notebook) {
  const edits = none();
  let after = null;
  for (const c of notebook.cells) {
    if (c.added) edits.added.push({ id: c.id, after, source: c.source });
    else if (c.source !== c.published) edits.changed[c.id] = c.source;
    after = c.id;
  }
  edits.removed = [...(notebook.removed ?? [])].map((c) => c.id).filter((id) => !edits.added.some((a) => a.id === id));
  return edits;
}

// applyEdits changes the notebook. What belongs to a cell that the notebook has no more becomes a cell at its end:
// nothing that somebody wrote is lost.
export function applyEdits(notebook, edits) {
  const { cells } = notebook;
  for (const [id, source] of Object.entries(edits.changed)) {
    const cell = cells.find((c) => c.id === id && c.type === "code");
    if (cell) cell.source = source;
    else insert(notebook, { id, source }, cells.length);
  }
  for (const a of edits.added) {
    const at = a.after === null ? 0 : cells.findIndex((c) => c.id === a.after) + 1 || cells.length;
    insert(notebook, a, at);
  }
  notebook.removed ??= [];
  for (const id of edits.removed) {
    const i = cells.findIndex((c) => c.id === id && c.type === "code");
    if (i >= 0) notebook.removed.push(...cells.splice(i, 1));
  }
}

function insert(notebook, { id, source }, at) {
  const known = notebook.cells.find((c) => c.id === id);
  if (known?.added) {
    known.source = source;
    return;
  }
  if (known || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) id = newID(notebook.cells);
  notebook.cells.splice(at, 0, { id, type: "code", source, published: "", metadata: {}, outputs: [], count: null, added: true });
}

// checked returns edits that came from elsewhere, as far as they have the right form.
export function checked(v) {
  const edits = none();
  if (!v || typeof v !== "object") return edits;
  for (const [id, source] of Object.entries(v.changed ?? {})) if (typeof source === "string") edits.changed[id] = source;
  for (const a of Array.isArray(v.added) ? v.added : []) {
    if (typeof a?.id === "string" && typeof a.source === "string") edits.added.push({ id: a.id, after: typeof a.after === "string" ? a.after : null, source: a.source });
  }
  for (const id of Array.isArray(v.removed) ? v.removed : []) if (typeof id === "string") edits.removed.push(id);
  return edits;
}

// merge returns the edits of another window of the same page with ours for the cells that were touched here.
export function merge(theirs, ours, touched) {
  const out = { changed: {}, added: [], removed: [] };
  for (const [id, source] of Object.entries(theirs.changed)) if (!touched.has(id)) out.changed[id] = source;
  for (const [id, source] of Object.entries(ours.changed)) if (touched.has(id)) out.changed[id] = source;
  out.added = [...theirs.added.filter((a) => !touched.has(a.id)), ...ours.added.filter((a) => touched.has(a.id))];
  out.removed = [...theirs.removed.filter((id) => !touched.has(id)), ...ours.removed.filter((id) => touched.has(id))];
  return out;
}
