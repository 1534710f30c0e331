package widget

import "slices"

// A root is a control with an area below it, in the form that front ends show. The area shows the output of
// the callbacks of the control and of the controls that it contains.
type root struct {
	box  *model
	area *area
}

// root returns the root of c, and creates it on the first call.
func (c *core) root() *root {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown == nil {
		a := newArea()
		c.shown = &root{area: a, box: &model{kind: vbox, children: []*model{c.model.shown(), a.model},
			state: map[string]any{"children": []string{}, "box_style": ""}}}
	}
	return c.shown
}

// show is like model.show for a root. From then on the output of callbacks goes to the root's area.
func (r *root) show() string {
	id := r.box.show()
	if id != "" {
		r.box.children[0].addArea(r.area)
	}
	return id
}

// addArea registers the area a for m and for the models that m contains: from then on a shows the output of their
// callbacks.
func (m *model) addArea(a *area) {
	m.mu.Lock()
	if !slices.Contains(m.areas, a) {
		m.areas = append(slices.Clone(m.areas), a)
	}
	m.mu.Unlock()
	for _, c := range m.children {
		c.addArea(a)
	}
}

// shownIn returns the areas of m that front ends show.
func (m *model) shownIn() areas {
	m.mu.Lock()
	all := m.areas
	m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(all), func(a *area) bool { return a.model.id() == "" })
}
