package widget

import "slices"

// A root is a control as front ends show it: with an area below it, for what the callbacks of the
// control, and of those that it contains, print and display.
type root struct {
	box  *model
	area *area
}

// root returns the root of c, made when it is first asked for.
func (c *core) root() *root {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown == nil {
		a := newArea()
		c.shown = &root{area: a, box: &model{kind: vbox, children: []*model{c.model, a.model},
			state: map[string]any{"children": []string{}, "box_style": ""}}}
	}
	return c.shown
}

// show is model.show for a root: the output of callbacks goes to its area from now on.
func (r *root) show() string {
	id := r.box.show()
	if id != "" {
		r.box.children[0].addArea(r.area)
	}
	return id
}

// addArea has the output of m's callbacks, and of those of what it contains, shown in a.
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
