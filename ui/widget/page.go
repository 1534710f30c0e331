package widget

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"sync/atomic"

	"overcomplete/ui/display"
)

// pieces counts the pieces of HTML that were made, so that each has an id.
var pieces atomic.Int64

// pageWriter writes the HTML form of controls. They cannot be moved
// until the script finds a kernel that knows them.
type pageWriter struct {
	strings.Builder
	ids []string
}

// live is what lets the script find the element of a control: its id, if a front end is served.
func (p *pageWriter) live(c *core, what string) string {
	c.model.mu.Lock()
	defer c.model.mu.Unlock()
	if c.model.comm == nil {
		return ""
	}
	p.ids = append(p.ids, c.model.comm.ID)
	return fmt.Sprintf(` data-id="%s" data-key="%s"`, html.EscapeString(c.model.comm.ID), what)
}

const name = `<span style="display:inline-block;min-width:6em">%s</span> `

func (s *IntControl) html(p *pageWriter) {
	p.slider(s.core, s.min, s.max, s.model.get("step"), s.Value())
}

func (s *FloatControl) html(p *pageWriter) {
	p.slider(s.core, s.min, s.max, s.model.get("step"), s.Value())
}

func (p *pageWriter) slider(c *core, min, max, step, value any) {
	fmt.Fprintf(p, `<label>`+name+`<input type="range" disabled min="%v" max="%v" step="%v" value="%v" style="display:inline-block;width:16em;max-width:100%%;vertical-align:middle"%s> <output style="display:inline;padding:0">%v</output></label>`,
		html.EscapeString(c.label), min, max, step, value, p.live(c, "value"), value)
}

func (s *ChoiceControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<label>`+name+`<select disabled%s>`, html.EscapeString(s.label), p.live(s.core, "index"))
	for i, o := range s.options {
		selected := ""
		if i == s.Index() {
			selected = " selected"
		}
		fmt.Fprintf(p, `<option value="%d"%s>%s</option>`, i, selected, html.EscapeString(o))
	}
	p.WriteString(`</select></label>`)
}

func (s *BoolControl) html(p *pageWriter) {
	checked := ""
	if s.Value() {
		checked = " checked"
	}
	fmt.Fprintf(p, `<label><input type="checkbox" disabled%s%s> %s</label>`, checked, p.live(s.core, "value"), html.EscapeString(s.label))
}

func (s *TextControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<label>`+name+`<input type="text" disabled value="%s"%s></label>`,
		html.EscapeString(s.label), html.EscapeString(s.Value()), p.live(s.core, "value"))
}

func (b *ButtonControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<button type="button" disabled style="align-self:flex-start"%s>%s</button>`, p.live(b.core, "click"), html.EscapeString(b.label))
}

func (b *BarControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<label>`+name+`<progress max="%v" value="%v"%s></progress></label>`,
		html.EscapeString(b.label), b.total, b.Value(), p.live(b.core, "value"))
}

func (l *LabelControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<div%s>%s</div>`, p.live(l.core, "html"), l.Value())
}

func (b *BoxControl) html(p *pageWriter) {
	direction := "column"
	if b.model.kind == hbox {
		direction = "row"
	}
	fmt.Fprintf(p, `<div style="display:flex;flex-wrap:wrap;gap:4px 12px;flex-direction:%s">`, direction)
	for _, c := range b.controls {
		c.html(p)
	}
	p.WriteString(`</div>`)
}

// render returns c in each form.
func render(c Control) display.Data {
	id := c.parts().model.show()
	p := &pageWriter{}
	root := fmt.Sprintf("widgets-%s-%d", id, pieces.Add(1))
	fmt.Fprintf(p, `<div id="%s">`, html.EscapeString(root))
	c.html(p)
	p.WriteString("</div>\n")
	if id != "" {
		ids, err := json.Marshal(p.ids)
		if err != nil {
			panic(fmt.Sprintf("widget: %v", err)) // strings do not fail
		}
		fmt.Fprintf(p, script, root, ids, ownTarget)
	}
	d := display.Data{Data: map[string]any{display.MIMETypeHTML: p.Builder.String(), display.MIMETypeText: c.String()}}
	if id != "" {
		d.Data[viewType] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": id}
	}
	return d
}

// Render returns what a notebook shows for the control.
func (s *IntControl) Render() display.Data { return render(s) }

// Render returns what a notebook shows for the control.
func (s *FloatControl) Render() display.Data { return render(s) }

// Render returns what a notebook shows for the control.
func (s *ChoiceControl) Render() display.Data { return render(s) }

// Render returns what a notebook shows for the control.
func (s *BoolControl) Render() display.Data { return render(s) }

// Render returns what a notebook shows for the control.
func (s *TextControl) Render() display.Data { return render(s) }

// Render returns what a notebook shows for the control.
func (b *ButtonControl) Render() display.Data { return render(b) }

// Render returns what a notebook shows for the control.
func (b *BarControl) Render() display.Data { return render(b) }

// Render returns what a notebook shows for the control.
func (l *LabelControl) Render() display.Data { return render(l) }

// Render returns what a notebook shows for the control.
func (b *BoxControl) Render() display.Data { return render(b) }

// script connects the controls of a piece of HTML with the kernel in the classic
// Notebook, where a page can reach it. A control is let go when the kernel says
// what its state is; a kernel that does not know it says nothing.
const script = `<script>
(function () {
  var root, tries = 0, ids = %[2]s;
  function begin() {
    root = document.getElementById(%[1]q);
    var nb = window.Jupyter && window.Jupyter.notebook, kernel = nb && nb.kernel;
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
    root.querySelectorAll("[data-id]").forEach(function (e) { parts[e.dataset.id] = e; });
    var comm, live; // the kernel has answered
    function write(e, state) {
      var key = e.dataset.key, v = state[key === "html" ? "value" : key];
      e.disabled = false;
      if (v === undefined) { return; }
      if (key === "html") { e.innerHTML = v; }
      else if (e.type === "checkbox") { e.checked = v; }
      else if (e !== document.activeElement || e.type === "range") { e.value = v; }
      if (e.type === "range") { e.parentNode.querySelector("output").textContent = v; }
    }
    // What is saved with the notebook is how the controls stand now.
    var keeping = null;
    function keep() {
      keeping = null;
      var copy = root.cloneNode(true), saved = copy.querySelectorAll("[data-id]");
      copy.removeAttribute("data-ready");
      root.querySelectorAll("[data-id]").forEach(function (e, i) {
        var s = saved[i];
        s.setAttribute("disabled", "");
        if (e.type === "checkbox") { s.toggleAttribute("checked", e.checked); }
        else if (e.tagName === "SELECT") {
          s.querySelectorAll("option").forEach(function (o, j) { o.toggleAttribute("selected", j === e.selectedIndex); });
        } else if (e.dataset.key === "value") { s.setAttribute("value", e.value); }
      });
      cell.output_area.outputs.forEach(function (o) {
        var h = o.data && o.data["text/html"];
        if (typeof h === "string" && h.indexOf('<div id="' + root.id + '"') >= 0) {
          o.data["text/html"] = copy.outerHTML + "\n" + h.slice(h.lastIndexOf("<scr" + "ipt>"));
        }
      });
    }
    function changed() {
      if (keeping === null && cell && cell.output_area) { keeping = setTimeout(keep, 200); }
    }
    function connect() {
      live = false;
      comm = kernel.comm_manager.new_comm(%[3]q, {ids: ids}, callbacks);
      comm.on_msg(function (m) {
        var d = m.content.data, e = parts[d.id];
        if (d.there && document.body.contains(root)) { comm.send({there: true}, callbacks); }
        else if (d.there) { comm.close(); }
        else if (e && d.state) { live = true; write(e, d.state); changed(); }
      });
      // The controls have been closed, or the kernel has taken the page for gone.
      comm.on_close(function () {
        for (var id in parts) { parts[id].disabled = true; }
        if (live && document.body.contains(root)) { connect(); }
      });
    }
    connect();
    ids.forEach(function (id) {
      var e = parts[id], timer = null;
      if (!e) { return; }
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
  begin();
})();
</script>
`
