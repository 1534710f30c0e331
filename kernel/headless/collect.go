package headless

import (
	"maps"
	"strings"
	"sync"

	"overcomplete/kernel/notebook"
	"overcomplete/ui/display"
)

// A collector stores the output of a notebook's cells in the notebook. All cells share one collector, because an
// update may change output of an earlier cell.
type collector struct {
	mu sync.Mutex
	// shown maps each display_id to the outputs that an update of this display_id changes.
	shown map[string][]notebook.Output
	// closed is set when collecting ends; goroutines that outlive their cell may still produce output.
	closed bool
	// bar receives the text of a progress bar that a cell shows. May be nil.
	bar func(text string)
}

func newCollector() *collector { return &collector{shown: map[string][]notebook.Output{}} }

func (c *collector) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// A sink is the kernel.Output of one cell.
type sink struct {
	*collector
	cell  *notebook.Cell
	count int
	// clear is set if the next output replaces the current ones.
	clear bool
	// text collects the text of the last stream output, so that appending to it does not copy it.
	text *strings.Builder
}

// ready reports whether outputs are still collected. If the next output is to replace the earlier ones, ready first
// removes these.
func (c *sink) ready() bool {
	if c.closed {
		return false
	}
	if c.clear {
		c.clear, c.cell.Outputs = false, nil
	}
	return true
}

func (c *sink) Stream(name, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text == "" || !c.ready() {
		return
	}
	// A program's text arrives in arbitrary pieces. The notebook has one output for consecutive pieces of the
	// same stream.
	if n := len(c.cell.Outputs); n > 0 {
		if last := c.cell.Outputs[n-1]; last.Type() == notebook.Stream && last["name"] == name {
			c.text.WriteString(text)
			last["text"] = c.text.String()
			return
		}
	}
	c.text = &strings.Builder{}
	c.text.WriteString(text)
	c.cell.Outputs = append(c.cell.Outputs, notebook.NewStream(name, text))
}

func (c *sink) Display(d display.Data, update bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, err := notebook.NewDisplay(d.Data, d.Metadata)
	if err != nil {
		o = unshowable(err)
	}
	if page, _ := d.Data[display.MIMETypeHTML].(string); c.bar != nil && strings.Contains(page, `role="progressbar"`) {
		text, _ := d.Data[display.MIMETypeText].(string)
		c.bar(text)
	}
	id, _ := d.Transient["display_id"].(string)
	if !update {
		if !c.ready() {
			return
		}
		c.cell.Outputs = append(c.cell.Outputs, o)
	}
	if c.closed || id == "" {
		return
	}
	for _, old := range c.shown[id] {
		old["data"], old["metadata"] = maps.Clone(o["data"].(map[string]any)), o["metadata"]
	}
	if !update {
		c.shown[id] = append(c.shown[id], o)
	}
}

func (c *sink) Result(d display.Data) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready() {
		return
	}
	o, err := notebook.NewResult(c.count, d.Data, d.Metadata)
	if err != nil {
		o = unshowable(err)
	}
	c.cell.Outputs = append(c.cell.Outputs, o)
	if id, _ := d.Transient["display_id"].(string); id != "" {
		c.shown[id] = append(c.shown[id], o)
	}
}

func (c *sink) Clear(wait bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if wait {
		c.clear = true
		return
	}
	c.clear, c.cell.Outputs = false, nil
}

// fail adds an error after the outputs of a cell. It keeps these outputs even if the next output is to replace them.
func (c *sink) fail(ename, evalue string, traceback []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.cell.Outputs = append(c.cell.Outputs, notebook.NewError(ename, evalue, traceback))
}

// unshowable returns the output that replaces an output that JSON cannot represent.
func unshowable(err error) notebook.Output {
	o, _ := notebook.NewDisplay(map[string]any{display.MIMETypeText: "cannot show this: " + err.Error()}, nil)
	return o
}
