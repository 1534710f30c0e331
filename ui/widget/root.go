package widget

import "slices"

// A root is what front ends show for a control: a box with the control and, below it, an area. The area shows the
// output of the callbacks of the control and of the controls that it contains.
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

// show calls model.show for the box of r, and returns the id of the box, or "" if no front end is served. From then
// on, the output of the control's callbacks goes to the root's area.
func (r *root) show() string {
	id := r.box.show()
	if id != "" {
		r.box.children[0].addArea(r.area)
	}
	return id
}

// addArea makes the given area show the output of the callbacks of m and of the models that m contains.
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
