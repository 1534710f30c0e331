// A notebook's cells as text without outputs, in the form that jupytext calls go:percent.

export interface TextCell { markdown: boolean; text: string }

const magic = /^(\/\/ )*(%%?[A-Za-z]|!)|^(\/\/ )+%%( |$)/; // not Go: a comment in the text

export function asText(cells: TextCell[]): string {
  return cells.map(({ markdown, text }) => markdown ? "// %% [markdown]\n" + text.replace(/^.*/gm, (line) => "// " + line).replace(/ +$/gm, "")
    : "// %%\n" + text.split("\n").map((line) => magic.test(line) ? "// " + line : line).join("\n")).join("\n\n") + "\n";
}

const parts = (text: string) => text.replace(/\r/g, "").split(/^(?=\/\/ %%(?: |$))/m);
const isCell = (part: string) => part.startsWith("// %%");

// headerOf returns what stands above the first cell: jupytext's header.
export const headerOf = (text: string) => parts(text).filter((part, i) => i === 0 && !isCell(part)).join("");

// cellsOf is the inverse of asText. It leaves out what jupytext adds: its header, and the options of cells.
export function cellsOf(text: string): TextCell[] {
  return parts(text).filter(isCell).map((part) => {
    const [head = "", ...lines] = part.replace(/\n+$/, "").split("\n"), markdown = head.includes("[markdown]");
    return { markdown, text: lines.map((line) => markdown ? line.replace(/^\/\/ ?/, "") : line.startsWith("// ") && magic.test(line.slice(3)) ? line.slice(3) : line).join("\n") };
  });
}
