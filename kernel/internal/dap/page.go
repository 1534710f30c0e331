package dap

import "fmt"

// pageSize is the maximum number of variables in a reply to a front end that does not ask for pages, such as
// JupyterLab; maxPage is the maximum for a front end that asks for pages.
const (
	pageSize = 100
	maxPage  = 10_000
)

// page returns children of c, from the given index on, but no more than count. If filter is "named", only the named
// children are counted and returned; if it is "indexed", only the indexed children. If count is not between 1 and
// maxPage, the limit is maxPage.
func page(c container, filter string, start, count int) []variable {
	named, indexed := c.count()
	lo, hi := 0, named+indexed
	switch filter {
	case "named":
		hi = named
	case "indexed":
		lo = named
	}
	lo = min(lo+max(start, 0), hi)
	if count <= 0 || count > maxPage {
		count = maxPage
	}
	hi = min(lo+count, hi)
	return children(c, lo, hi)
}

func children(c container, lo, hi int) []variable {
	list := make([]variable, 0, hi-lo)
	for i := lo; i < hi; i++ {
		list = append(list, c.child(i))
	}
	return list
}

// grouped returns the children of c. If there are more than pageSize, it returns at most pageSize ranges instead,
// which hold the children.
func grouped(c container) []variable {
	if r, ok := c.(span); ok {
		return r.grouped()
	}
	named, indexed := c.count()
	return span{c, 0, named + indexed}.grouped()
}

// A span is a range of the children of a container.
type span struct {
	container
	lo, hi int
}

func (s span) count() (int, int)    { return 0, s.hi - s.lo }
func (s span) child(i int) variable { return s.container.child(s.lo + i) }

func (s span) grouped() []variable {
	n := s.hi - s.lo
	if n <= pageSize {
		return children(s.container, s.lo, s.hi)
	}
	step := 1
	for (n+step-1)/step > pageSize {
		step *= pageSize
	}
	var list []variable
	for lo := s.lo; lo < s.hi; lo += step {
		hi := min(lo+step, s.hi)
		list = append(list, variable{name: fmt.Sprintf("[%d…%d]", lo, hi-1), inner: span{s.container, lo, hi}})
	}
	return list
}
