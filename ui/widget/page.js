// Connects the controls in an element with the kernel, in the classic Notebook. A control is let go
// when the kernel says what its state is; a kernel that does not know it says nothing.
//
// config.form, if there is one, is put into the element when the kernel has answered: until then
// another output has the controls as they were saved, and the place for the area config.area.
function (config) {
  /* play.js */
  var root, tries = 0, ids = config.ids;
  // JupyterLab and what is made of it keep the kernel from what is in a page.
  function inLab() { return document.querySelector("#jupyter-config-data, .jp-LabShell, .jp-NotebookShell"); }
  function explain() {
    var note = root && root.querySelector('[data-part="hint"]');
    if (!root) { return; }
    if (!note) {
      note = document.createElement("p");
      note.dataset.part = "hint";
      note.style.cssText = "font-size:85%;margin:4px 0";
      root.appendChild(note);
    }
    if (config.area) { root.classList.add("overcomplete-still-" + config.area); }
    note.textContent = "The controls do not move here: this front end needs ipywidgets where its server runs (pip install ipywidgets), and then the page loaded again.";
  }
  function begin() {
    root = document.getElementById(config.element);
    var nb = window.Jupyter && window.Jupyter.notebook, kernel = nb && nb.kernel;
    if (!nb && inLab()) { explain(); return; }
    if (!root || !kernel || !kernel.comm_manager || !kernel.is_connected()) {
      if (tries++ < 50 && (!window.document.readyState || window.Jupyter)) { setTimeout(begin, 100); }
      return;
    }
    if (root.dataset.ready) { return; }
    root.dataset.ready = "1";
    // What a callback shows may come after the idle of its message, if a cell ran
    // meanwhile: the page must not forget where it belongs.
    var callbacks = {}, cell = window.jQuery && window.jQuery(root).closest(".cell").data("cell");
    if (cell && cell.get_callbacks) { callbacks = {iopub: cell.get_callbacks().iopub, clear_on_done: false}; }
    var parts = {};
    var comm, live; // the kernel has answered
    // The place of an area that another output has; its element changes with the output.
    function place() { return document.querySelector('[data-saved="' + config.area + '"] > [data-part="result"]'); }
    // What the area shows, drawn as the notebook draws the outputs of a cell.
    function draw(e, outputs) {
      var area = cell && cell.output_area;
      if (!e || !area) { return; }
      var box = document.createElement("div"), height = e.offsetHeight;
      e.style.minHeight = height + "px"; // the page does not jump while pictures load
      e.textContent = "";
      e.appendChild(box);
      new area.constructor({selector: box, config: area.config, events: area.events,
        keyboard_manager: area.keyboard_manager, prompt_area: false}).fromJSON(outputs, {});
      setTimeout(function () { e.style.minHeight = ""; }, 300);
    }
    // Draws the area that another output has, anew or if that output has been shown (again) since.
    function redraw(anew) {
      var e = place();
      if (!e || !drawn || e.dataset.drawn && !anew) { return; }
      e.dataset.drawn = "1";
      draw(e, drawn);
      keep();
    }
    if (config.area && cell && cell.output_area && window.MutationObserver) {
      new MutationObserver(function (_, o) { if (document.body.contains(root)) { redraw(false); } else { o.disconnect(); } }).observe(cell.output_area.element[0], {childList: true, subtree: true});
    }
    function write(id, e, state) {
      if (id === config.area) {
        if (state.outputs) { drawn = state.outputs; redraw(true); }
        return;
      }
      if (!e) { return; }
      var key = e.dataset.key, v = state[key === "html" ? "value" : key];
      if (key !== "outputs") { e.disabled = false; }
      if (e.type === "range") { play(e); }
      if (v === undefined) { return; }
      if (key === "outputs") { draw(e, v); }
      else if (key === "html") { e.innerHTML = v; }
      else if (e.type === "checkbox") { e.checked = v; }
      else if (e !== document.activeElement || e.type === "range") { e.value = v; }
      if (e.type === "range") { e.parentNode.querySelector("output").textContent = v; }
    }
    // What is saved with the notebook is how the controls stand now.
    var keeping = null, drawn = null;
    function keep() {
      keeping = null;
      if (!cell || !cell.output_area) { return; }
      var copy = still();
      cell.output_area.outputs.forEach(function (o) {
        var h = o.data && o.data["text/html"];
        if (typeof h !== "string") { return; }
        if (!config.form && h.indexOf('<div id="' + root.id + '"') >= 0) {
          o.data["text/html"] = copy.outerHTML + "\n" + h.slice(h.lastIndexOf("<scr" + "ipt>"));
        }
        if (config.area && drawn && place() && h.indexOf('data-saved="' + config.area + '"') >= 0) { o.data = result(h, copy); }
      });
    }
    // The other output, as it is saved: h with the controls and the result of now.
    function result(h, copy) {
      var box = document.createElement("div"), clone = place().cloneNode(true), data = {};
      box.innerHTML = h;
      box.querySelector('[data-part="controls"]').innerHTML = copy.innerHTML;
      tidy(clone);
      box.querySelector('[data-part="result"]').innerHTML = clone.innerHTML;
      drawn.forEach(function (d) {
        for (var mime in d.data || {}) {
          if (/^image\//.test(mime) || mime === "text/plain") { data[mime] = d.data[mime]; }
        }
      });
      data["text/html"] = box.innerHTML;
      return data;
    }
    // What the notebook has put around outputs.
    function tidy(copy) {
      copy.querySelectorAll(".out_prompt_overlay, .output_collapsed, .prompt, .run_this_cell").forEach(function (e) { e.remove(); });
    }
    // A copy of the controls as they stand, which do not move.
    function still() {
      var copy = root.cloneNode(true), saved = copy.querySelectorAll("[data-id]");
      copy.removeAttribute("data-ready");
      if (config.area) { copy.removeAttribute("class"); }
      tidy(copy);
      copy.querySelectorAll("[data-plays]").forEach(function (e) { e.disabled = true; e.textContent = "▶ Play"; });
      copy.querySelectorAll('[data-part="hint"]').forEach(function (e) { e.style.display = ""; });
      root.querySelectorAll("[data-id]").forEach(function (e, i) {
        var s = saved[i];
        if (e.dataset.key === "outputs") { s.style.minHeight = ""; return; }
        s.setAttribute("disabled", "");
        if (e.type === "checkbox") { s.toggleAttribute("checked", e.checked); }
        else if (e.tagName === "SELECT") {
          s.querySelectorAll("option").forEach(function (o, j) { o.toggleAttribute("selected", j === e.selectedIndex); });
        } else if (e.dataset.key === "value") { s.setAttribute("value", e.value); }
      });
      return copy;
    }
    function changed() {
      if (keeping === null && cell && cell.output_area) { keeping = setTimeout(keep, 200); }
    }
    function connect() {
      live = false;
      comm = kernel.comm_manager.new_comm(config.target, {ids: ids}, callbacks);
      comm.on_msg(function (m) {
        var d = m.content.data;
        if (d.there && document.body.contains(root)) { comm.send({there: true}, callbacks); }
        else if (d.there) { comm.close(); }
        else if (d.state) { alive(); write(d.id, parts[d.id], d.state); changed(); }
      });
      // The controls have been closed, or the kernel has taken the page for gone.
      comm.on_close(function () {
        for (var id in parts) { parts[id].disabled = true; }
        if (live && document.body.contains(root)) { connect(); }
      });
    }
    // The kernel knows the controls.
    function alive() {
      if (live) { return; }
      live = true;
      if (config.form && !root.firstChild) { root.innerHTML = config.form; }
      if (config.area) { root.classList.add("overcomplete-page-" + config.area); }
      root.querySelectorAll('[data-part="hint"]').forEach(function (e) { e.style.display = "none"; });
      find();
    }
    function find() {
      root.querySelectorAll("[data-id]").forEach(function (e) {
        var id = e.dataset.id, timer = null;
        if (parts[id]) { return; }
        parts[id] = e;
        if (e.dataset.key === "outputs") { return; }
        if (e.dataset.key === "click") {
          e.addEventListener("click", function () { comm.send({id: id, event: "click"}, callbacks); });
          return;
        }
        function send() {
          timer = null;
          var v = e.type === "checkbox" ? e.checked : e.type === "range" || e.tagName === "SELECT" ? Number(e.value) : e.value, state = {};
          state[e.dataset.key] = v;
          comm.send({id: id, state: state}, callbacks);
          changed();
        }
        function soon() {
          if (e.type === "range") { e.parentNode.querySelector("output").textContent = e.value; }
          if (timer === null) { timer = setTimeout(send, 50); }
        }
        if (e.type === "range") { e.addEventListener("input", soon); }
        e.addEventListener("change", soon);
      });
    }
    connect();
  }
  begin();
}
