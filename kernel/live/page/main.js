// The script of a live page: makes the cells of an exported page run. The page has its notebook in
// #overcomplete-notebook; #overcomplete-live is the script's own element, with addresses in data attributes.

import { readNotebook } from "./notebookfile.js";
import { Page } from "./page.js";
import { Storage } from "./storage.js";
import { keepOffline } from "./offline.js";
import style from "./style.css";

const own = document.getElementById("overcomplete-live");
const address = (name) => own.dataset[name] && new URL(own.dataset[name], document.baseURI).href;

// File sizes and sums, where the page has them: data-br="SIZE SHA256" and data-gz.
const check = {};
for (const kind of ["br", "gz"]) {
  const [size, sha256] = (own.dataset[kind] ?? "").split(" ");
  if (size) check[kind] = { size: Number(size), sha256 };
}

document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
const config = { kernel: address("kernel"), worker: address("worker"), brotli: address("brotli"), purify: address("purify"), check, notebook: own.dataset.notebook || "notebook.ipynb", size: own.dataset.size };
const notebook = readNotebook(document.getElementById("overcomplete-notebook").textContent);
const ready = keepOffline(address("sw"), [own.src, config.worker, config.brotli, config.purify, config.kernel && config.kernel + "."]);
const page = new Page(config, notebook, new Storage(), ready);
window.overcompletePage = page; // for scripts beside this one, and tests
page.begin();
