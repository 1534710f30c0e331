package widget

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync/atomic"

	"overcomplete/internal/positions"
	"overcomplete/ui/display"
)

// pieces counts the pieces of HTML made so far, so that each has a unique id.
var pieces atomic.Int64

// A pageWriter writes controls as HTML. The controls cannot be moved until the script in page.js finds a kernel that
// knows them.
type pageWriter struct {
	strings.Builder
	ids    []string
	saved  bool          // the page must not look for a kernel
	places map[*core]int // the numbers of the controls that move without a kernel
}

// live returns the HTML attributes by which the script in page.js finds the element of the control c. It returns "" if
// no front end is served. The argument what, such as "value" or "click", tells the script how to use the element.
func (p *pageWriter) live(c *core, what string) string {
	c.model.mu.Lock()
	defer c.model.mu.Unlock()
	if c.model.comm == nil || p.saved {
		return ""
	}
	p.ids = append(p.ids, c.model.comm.ID)
	return fmt.Sprintf(` data-id="%s" data-key="%s"`, html.EscapeString(c.model.comm.ID), what)
}

// place returns the attribute by which the script for saved positions finds the element of the control c, or "" if c
// cannot be moved without a kernel.
func (p *pageWriter) place(c *core) string {
	if n, ok := p.places[c]; ok {
		return fmt.Sprintf(` data-position="%d"`, n)
	}
	return ""
}

// output writes an HTML element that shows the content of the area a. It writes nothing if the area has not been sent
// to a front end.
func (p *pageWriter) output(a *area) {
	id := a.model.id()
	if id == "" {
		return
	}
	p.ids = append(p.ids, id)
	fmt.Fprintf(p, `<div data-id="%s" data-key="outputs">%s</div>`, html.EscapeString(id), a.html())
}

const name = `<span style="display:inline-block;min-width:6em">%s</span> `

func (s *IntControl) html(p *pageWriter) {
	if s.play == nil {
		p.slider(s.core, s.min, s.max, s.model.get("step"), s.Value())
		return
	}
	p.WriteString(`<div style="display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center">`)
	p.slider(s.core, s.min, s.max, s.model.get("step"), s.Value())
	fmt.Fprintf(p, `<button type="button" disabled data-plays="%d" style="min-width:6em;font:inherit">▶ Play</button></div>`, frameMS)
}

func (s *FloatControl) html(p *pageWriter) {
	p.slider(s.core, s.min, s.max, s.model.get("step"), s.Value())
}

func (p *pageWriter) slider(c *core, min, max, step, value any) {
	fmt.Fprintf(p, `<label>`+name+`<input type="range" disabled min="%v" max="%v" step="%v" value="%v" style="display:inline-block;width:16em;max-width:100%%;vertical-align:middle"%s> <output style="display:inline;padding:0">%v</output></label>`,
		html.EscapeString(c.label), min, max, step, value, p.live(c, "value")+p.place(c), value)
}

func (s *ChoiceControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<label>`+name+`<select disabled%s>`, html.EscapeString(s.label), p.live(s.core, "index")+p.place(s.core))
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
	fmt.Fprintf(p, `<label><input type="checkbox" disabled%s%s> %s</label>`, checked, p.live(s.core, "value")+p.place(s.core), html.EscapeString(s.label))
}

func (s *TextControl) html(p *pageWriter) {
	fmt.Fprintf(p, `<label>`+name+`<input type="text" disabled value="%s"%s></label>`,
		html.EscapeString(s.label), html.EscapeString(s.Value()), p.live(s.core, "value")+p.place(s.core))
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

// render returns the content that a notebook shows for c: plain text, HTML and, if a front end is served, the
// ipywidgets view.
func render(c Control) display.Data {
	r := c.parts().root()
	id := r.show()
	p := &pageWriter{}
	c.html(p)
	p.output(r.area)
	p.WriteString("\n" + hint)
	form := p.String()
	element := element(id)
	d := display.Data{Data: map[string]any{display.MIMETypeHTML: fmt.Sprintf("<div id=\"%s\">%s</div>\n", element, form), display.MIMETypeText: c.String()}}
	enliven(d, id, element, "", "", p.ids)
	return d
}

// renderLive returns the first of Interact's two outputs: the live controls, which only a front end with a kernel can
// show. Elsewhere the second output (see renderSaved) is shown instead. Unlike render, renderLive leaves the HTML
// element of the controls empty. The script in page.js puts the controls into that element when the kernel has
// answered.
func renderLive(c *BoxControl) display.Data {
	r := c.parts().root()
	id := r.show()
	p := &pageWriter{}
	c.html(p)
	element := element(id)
	d := display.Data{Data: map[string]any{display.MIMETypeHTML: fmt.Sprintf("<div id=\"%s\"></div>\n", element), display.MIMETypeText: c.String()}}
	if area := r.area.model.id(); area != "" {
		r.box.set(map[string]any{"_dom_classes": []string{"overcomplete-live-" + area}})
		p.WriteString("\n" + hint)
		d.Data[display.MIMETypeText] = "controls: " + labels(c) // the values would soon be outdated
		enliven(d, id, element, p.String(), area, append(p.ids, area))
	}
	return d
}

// labels returns the labels of the controls in a box, separated by commas.
func labels(c *BoxControl) string {
	var list []string
	for _, c := range c.controls {
		if l := c.parts().label; l != "" {
			list = append(list, l)
		}
	}
	return strings.Join(list, ", ")
}

// element returns a new id for an HTML element that shows a root. The given id is that of the root's model.
func element(id string) string {
	return html.EscapeString(fmt.Sprintf("widgets-%s-%d", id, pieces.Add(1)))
}

// enliven adds to d the parts that make a control live in front ends: ipywidgets' view of the model with the given id,
// and the script that connects our own HTML with the kernel. If id is "", no front end is served, and enliven adds
// nothing.
//
// The script works on the HTML element whose id is the argument element. It asks the kernel for the models whose ids
// are in the list ids. If the HTML element is empty, the script fills it when the kernel has answered; form is the HTML
// for that case. area is the id of an area whose content is shown in another output, or "".
func enliven(d display.Data, id, element, form, area string, ids []string) {
	if id == "" {
		return
	}
	config, err := json.Marshal(map[string]any{"element": element, "target": ownTarget, "ids": ids, "form": form, "area": area})
	if err != nil {
		panic(fmt.Sprintf("widget: %v", err)) // strings cannot fail
	}
	d.Data[display.MIMETypeHTML] = d.Data[display.MIMETypeHTML].(string) + "<script>\n(" + script + ")(" + string(config) + ");\n</script>\n"
	d.Data[viewType] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": id}
}

// Render returns the content that a notebook shows for the control.
func (s *IntControl) Render() display.Data { return render(s) }

// Render returns the content that a notebook shows for the control.
func (s *FloatControl) Render() display.Data { return render(s) }

// Render returns the content that a notebook shows for the control.
func (s *ChoiceControl) Render() display.Data { return render(s) }

// Render returns the content that a notebook shows for the control.
func (s *BoolControl) Render() display.Data { return render(s) }

// Render returns the content that a notebook shows for the control.
func (s *TextControl) Render() display.Data { return render(s) }

// Render returns the content that a notebook shows for the control.
func (b *ButtonControl) Render() display.Data { return render(b) }

// Render returns the content that a notebook shows for the control.
func (b *BarControl) Render() display.Data { return render(b) }

// Render returns the content that a notebook shows for the control.
func (l *LabelControl) Render() display.Data { return render(l) }

// Render returns the content that a notebook shows for the control.
func (b *BoxControl) Render() display.Data { return render(b) }

// script connects the controls in a piece of HTML with the kernel in the classic Notebook, where a page can
// reach the kernel. Elsewhere it says why the controls do not move.
var script = positions.WithPlay(regexp.MustCompile(`(?m)^\s*//.*\n`).ReplaceAllString(strings.TrimSpace(pageJS), ""))

//go:embed page.js
var pageJS string
