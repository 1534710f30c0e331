// Notebooks as files: nbformat 4, read leniently and written as 4.5.

const goodID = /^[A-Za-z0-9_-]{1,64}$/;

export const text = (v) => Array.isArray(v) ? v.join("") : typeof v === "string" ? v : "";
const lines = (s) => s === "" ? [] : s.match(/[^\n]*\n|[^\n]+$/g);

// newID returns an id that none of the cells has.
export function newID(cells) {
  for (;;) {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(4)), (b) => b.toString(16).padStart(2, "0")).join("");
    if (!cells.some((c) => c.id === id)) return id;
  }
}

// readNotebook returns a notebook from the text of an .ipynb file. It throws an Error that says what is wrong.
export function readNotebook(source) {
  let json;
  try {
    json = JSON.parse(source);
  } catch {
    throw new Error("it is not JSON, as an .ipynb file is");
  }
  if (!json || typeof json !== "object" || !Array.isArray(json.cells)) throw new Error(json?.worksheets ? "it is of nbformat 3: open and save it in Jupyter once" : "it has no cells, as an .ipynb file has");
  const cells = [];
  for (const c of json.cells) {
    if (!c || !["code", "markdown", "raw"].includes(c.cell_type)) continue;
    const id = typeof c.id === "string" && goodID.test(c.id) && !cells.some((d) => d.id === c.id) ? c.id : newID(cells);
    const source = text(c.source);
    cells.push({
      id, type: c.cell_type, source, published: source, metadata: c.metadata ?? {}, attachments: c.attachments,
      outputs: Array.isArray(c.outputs) ? c.outputs : [], count: c.execution_count ?? null,
    });
  }
  return { metadata: json.metadata ?? {}, cells };
}

// writeNotebook returns the text of an .ipynb file.
export function writeNotebook(notebook) {
  const cells = notebook.cells.map((c) => {
    const out = { cell_type: c.type, id: c.id, metadata: c.metadata };
    if (c.attachments) out.attachments = c.attachments;
    if (c.type === "code") {
      out.execution_count = c.count ?? null;
      out.outputs = c.outputs.map(fileOutput);
    }
    return { ...out, source: lines(c.source) };
  });
  return JSON.stringify({ cells, metadata: notebook.metadata, nbformat: 4, nbformat_minor: 5 }, null, 1) + "\n";
}

function fileOutput(o) {
  if (o.output_type === "stream") return { ...o, text: lines(text(o.text)) };
  if (!o.data) return o;
  const data = {};
  for (const [mime, v] of Object.entries(o.data)) data[mime] = typeof v === "string" && !/^image\/(?!svg)/.test(mime) ? lines(v) : v;
  return { ...o, data };
}

export const tagged = (cell, tag) => Array.isArray(cell.metadata?.tags) && cell.metadata.tags.includes(tag);

// runs tells whether a cell runs with all the others: those that are kept from it do not, nor do solutions of
// exercises while the parameter solutions is false (as in 'overcomplete run').
export function runs(cell, notebook) {
  if (cell.type !== "code" || cell.source.trim() === "" || tagged(cell, "skip-execution")) return false;
  return !tagged(cell, "solution") || !withoutSolutions(notebook);
}

function withoutSolutions(notebook) {
  const parameters = notebook.cells.filter((c) => tagged(c, "parameters") || /^\s*%params\b/.test(c.source));
  return parameters.some((c) => /^\s*(var\s+)?solutions\b[^=\n]*=\s*false\b/m.test(c.source));
}
