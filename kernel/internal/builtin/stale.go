package builtin

import (
	"errors"
	"fmt"
	"strings"

	"overcomplete/kernel/internal/render"
)

// stale implements %stale, which lists the stale cells with the reasons, or turns notes about them on or off.
func (c *call) stale() error {
	r := c.runner
	if r.Stale == nil {
		return errors.New("this session does not track stale cells")
	}
	switch strings.TrimSpace(c.Args) {
	case "":
	case "on":
		r.NoteStale = true
		return nil
	case "off":
		r.NoteStale = false
		return nil
	default:
		return c.usage()
	}
	var rows [][]string
	for _, cell := range r.Stale.Stale() {
		var why []string
		for _, reason := range cell.Reasons {
			why = append(why, reason.String())
		}
		rows = append(rows, []string{cell.Title(), strings.Join(why, "; ")})
	}
	if len(rows) == 0 {
		fmt.Fprintln(r.Stdout, "no cell is stale")
		return nil
	}
	r.Show(render.Table([]string{"stale cell", "because"}, []bool{true, true}, rows, ""))
	return nil
}
