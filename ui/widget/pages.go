package widget

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"overcomplete/ui/comm"
)

// A page is a web page that shows controls in our own HTML. Its script has opened the comm. The message that opens the
// comm names all controls on the page: {"ids":[...]}. Each later message names one model: {"id":..., "state":{...}} or
// {"id":..., "event":"click"}.
//
// A reloaded page opens a new comm, but the browser does not let it close the old one. So when a page opens, the other
// pages with the same controls are asked whether they still exist: {"there":true} is both the question and the answer.
// A page that has not answered by the time the next page opens is considered gone. If it was only slow, it opens a new
// comm.
type page struct {
	comm  *comm.Comm
	ids   []string
	asked bool // the page has not yet answered whether it still exists; guarded by the lock of pages
}

// pages holds the open pages, by their controls.
var pages struct {
	sync.Mutex
	all map[string][]*page
}

func (p *page) key() string { return strings.Join(p.ids, " ") }

// pageOpened handles a comm that a page has opened.
func pageOpened(c *comm.Comm, msg comm.Message) func() {
	p := &page{comm: c}
	var in struct {
		IDs []string `json:"ids"`
	}
	if json.Unmarshal(msg.Data, &in) == nil {
		p.ids = in.IDs
	}
	if !p.hasControls() {
		c.Close() // the page was saved by another kernel
		return nil
	}
	c.Closed(func(comm.Message) func() {
		p.forget()
		return nil
	})
	c.Receive(p.receive)
	p.enter()
	order.Lock()
	defer order.Unlock()
	for _, id := range p.ids {
		if m := find(id); m != nil {
			m.mu.Lock()
			m.pages = append(m.pages, c)
			m.mu.Unlock()
			c.Send(map[string]any{"id": id, "state": m.stateNow()}) // the page may show an old state
		}
	}
	return nil
}

// hasControls reports whether any of the page's controls still exists.
func (p *page) hasControls() bool {
	return slices.ContainsFunc(p.ids, func(id string) bool { return find(id) != nil })
}

// enter adds p to the pages. Of the other pages with the same controls, it closes those that have not answered an
// earlier question, and asks the rest whether they still exist.
func (p *page) enter() {
	pages.Lock()
	if pages.all == nil {
		pages.all = map[string][]*page{}
	}
	others := pages.all[p.key()]
	pages.all[p.key()] = append(slices.Clone(others), p)
	var gone []*page
	for _, o := range others {
		if o.asked {
			gone = append(gone, o)
		}
		o.asked = true
	}
	pages.Unlock()
	for _, o := range others {
		if slices.Contains(gone, o) {
			o.forget()
			o.comm.Close()
		} else {
			o.comm.Send(map[string]any{"there": true})
		}
	}
}

// forget removes p from the pages and from the models of its controls. It does not close the page's comm: the comm is
// closed already, or the caller closes it.
func (p *page) forget() {
	pages.Lock()
	if rest := slices.DeleteFunc(slices.Clone(pages.all[p.key()]), func(o *page) bool { return o == p }); len(rest) > 0 {
		pages.all[p.key()] = rest
	} else {
		delete(pages.all, p.key())
	}
	pages.Unlock()
	for _, id := range p.ids {
		if m := find(id); m != nil {
			m.mu.Lock()
			m.pages = slices.DeleteFunc(m.pages, func(c *comm.Comm) bool { return c == p.comm })
			m.mu.Unlock()
		}
	}
}

// closeEmpty closes the comm c of a page if all controls of that page have been closed.
func closeEmpty(c *comm.Comm) {
	var empty *page
	pages.Lock()
	for _, list := range pages.all {
		for _, p := range list {
			if p.comm == c && !p.hasControls() {
				empty = p
			}
		}
	}
	pages.Unlock()
	if empty != nil {
		empty.forget()
		c.Close()
	}
}

// receive handles a message from a page.
func (p *page) receive(msg comm.Message) (then func()) {
	pages.Lock()
	p.asked = false // any message proves that the page exists
	pages.Unlock()
	var in struct {
		ID    string                     `json:"id"`
		State map[string]json.RawMessage `json:"state"`
		Event string                     `json:"event"`
	}
	if json.Unmarshal(msg.Data, &in) != nil {
		return nil
	}
	m := find(in.ID)
	if m == nil || strings.HasPrefix(in.Event, "_") {
		return nil
	}
	if in.Event != "" && m.event != nil {
		return m.event(in.Event)
	}
	return m.change(in.State, p.comm)
}
