// Text for a terminal as HTML, with the classes of an exported page (kernel/export/ansi.go).

export const escapeHTML = (s) => s.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);

// isPlain tells whether text means nothing but itself.
export const isPlain = (text) => !/[\x00-\x08\x0b-\x1f\x7f]/.test(text);

// overwritten returns what is left of lines when \r and \b have moved the cursor back. Escape sequences take no room.
export function overwritten(text) {
  if (!/[\r\b]/.test(text)) return text;
  return text.split("\n").map((line) => {
    line = line.replace(/\r+$/, "");
    if (!/[\r\b]/.test(line)) return line;
    const shown = [];
    let at = 0;
    for (const [piece] of line.matchAll(/\x1b\[[0-9;]*[A-Za-z]|[^]/gu)) {
      if (piece === "\r") at = 0;
      else if (piece === "\b") at = Math.max(0, at - 1);
      else if (piece.startsWith("\x1b[") && piece.length > 2) {
        if (piece.endsWith("K")) shown.length = Math.min(shown.length, at);
        else shown[at] = { before: (shown[at]?.fresh ? shown[at].before : "") + piece, text: shown[at]?.text ?? "", fresh: true };
      } else {
        shown[at] = { before: shown[at]?.fresh ? shown[at].before : "", text: piece };
        at++;
      }
    }
    return shown.map((s) => s ? s.before + s.text : " ").join("");
  }).join("\n");
}

const level = (n) => n === 0 ? 0 : 55 + 40 * n;

// colour returns the class or the colour that 38;5;n or 38;2;r;g;b names, and how many numbers it took.
function colour(numbers) {
  if (numbers[0] === 2) return [`rgb(${numbers.slice(1, 4).map((n) => Math.min(255, n || 0)).join(",")})`, 4];
  const n = numbers[1] ?? 0;
  if (n < 16) return ["ansi-" + n, 2];
  if (n >= 232) return [`rgb(${Array(3).fill(8 + 10 * (Math.min(n, 255) - 232)).join(",")})`, 2];
  const c = n - 16;
  return [`rgb(${level(Math.floor(c / 36))},${level(Math.floor(c / 6) % 6)},${level(c % 6)})`, 2];
}

function apply(pen, numbers) {
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i];
    if (n === 0) for (const k of Object.keys(pen)) delete pen[k];
    else if (n === 1) pen.bold = true;
    else if (n === 2) pen.faint = true;
    else if (n === 3) pen.italic = true;
    else if (n === 4) pen.under = true;
    else if (n === 9) pen.struck = true;
    else if (n === 22) delete pen.bold, delete pen.faint;
    else if (n === 23) delete pen.italic;
    else if (n === 24) delete pen.under;
    else if (n === 29) delete pen.struck;
    else if (n >= 30 && n <= 37) pen.fg = "ansi-" + (n - 30);
    else if (n >= 90 && n <= 97) pen.fg = "ansi-" + (n - 82);
    else if (n >= 40 && n <= 47) pen.bg = "ansi-" + (n - 40);
    else if (n >= 100 && n <= 107) pen.bg = "ansi-" + (n - 92);
    else if (n === 39) delete pen.fg;
    else if (n === 49) delete pen.bg;
    else if (n === 38 || n === 48) {
      const [c, used] = colour(numbers.slice(i + 1));
      pen[n === 38 ? "fg" : "bg"] = c;
      i += used;
    }
  }
}

function open(pen) {
  const classes = [], style = [];
  if (pen.fg?.startsWith("ansi-")) classes.push(pen.fg);
  else if (pen.fg) style.push("color:" + pen.fg);
  if (pen.bg?.startsWith("ansi-")) classes.push(pen.bg + "-bg");
  else if (pen.bg) style.push("background:" + pen.bg);
  if (pen.bold) style.push("font-weight:bold");
  if (pen.faint) style.push("opacity:.7");
  if (pen.italic) style.push("font-style:italic");
  const lines = [pen.under && "underline", pen.struck && "line-through"].filter(Boolean);
  if (lines.length) style.push("text-decoration:" + lines.join(" "));
  return `<span${classes.length ? ` class="${classes.join(" ")}"` : ""}${style.length ? ` style="${style.join(";")}"` : ""}>`;
}

// ansiHTML returns text as HTML: colours and the like become spans, other sequences are left out.
export function ansiHTML(text) {
  if (isPlain(text)) return escapeHTML(text);
  let out = "";
  const pen = {};
  for (const m of overwritten(text).matchAll(/\x1b\[([0-9;:]*)([@-~])|\x1b[\]P_^][^]*?(?:\x07|\x1b\\)|\x1b[^]?|([^\x1b]+)/g)) {
    if (m[2] === "m") apply(pen, m[1].split(/[;:]/).map(Number));
    if (m[3] === undefined) continue;
    const plain = escapeHTML(m[3].replace(/[\x00-\x08\x0b-\x1f\x7f]/g, ""));
    out += Object.keys(pen).length ? open(pen) + plain + "</span>" : plain;
  }
  return out;
}
