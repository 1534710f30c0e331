// button returns a button that says what it does in data-do.
export function button(what, label, title, press) {
  const b = document.createElement("button");
  b.type = "button";
  b.dataset.do = what;
  b.textContent = label;
  b.title = title;
  if (label.length < 3) b.setAttribute("aria-label", title);
  b.addEventListener("click", press);
  return b;
}

export function element(tag, className, ...children) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children);
  return e;
}

// download gives the reader a file.
export function download(name, data, type) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([data], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
