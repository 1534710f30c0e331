// A line that a cell asks its reader for.

// ask shows a field below a cell's outputs and resolves with the line, or with null if it was taken away.
export function ask(element, { prompt, password }) {
  return new Promise((resolve) => {
    const form = document.createElement("form"), label = document.createElement("label"), field = document.createElement("input"), send = document.createElement("button");
    form.className = "live-input";
    label.append(prompt || (password ? "Password" : "Input"), " ", field);
    field.type = password ? "password" : "text";
    field.autocomplete = "off";
    field.spellcheck = false;
    send.textContent = "Send";
    form.append(label, send);
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      form.remove();
      resolve(field.value);
    });
    form.addEventListener("live-gone", () => {
      form.remove();
      resolve(null);
    });
    element.append(form);
    field.focus();
  });
}

// withdraw takes a field away, of a cell that has ended.
export const withdraw = (element) => element.querySelector(":scope > form.live-input")?.dispatchEvent(new Event("live-gone"));
