package jupyter

import (
	"encoding/json"
	"runtime/debug"

	"overcomplete/kernel/internal/stale"
	"overcomplete/kernel/wire"
)

// A Tracker is an Executor that knows which cells show what is no longer so. The server calls its methods while
// no Execute runs.
type Tracker interface {
	// Stale returns these cells.
	Stale() []stale.Cell
	// Deleted tells that cells are not in the notebook any more.
	Deleted(ids []string)
}

// cellOf returns the id of the cell that a request runs, "" if the front end does not say it, and passes on which cells
// have been deleted. JupyterLab and Notebook 7 send both, VS Code the id.
func (s *Server) cellOf(req *request, exec Executor) (id string) {
	var m struct {
		Cell    any `json:"cellId"` // metadata is nobody's promise: another type is no id
		Deleted any `json:"deletedCells"`
	}
	if json.Unmarshal(req.Metadata, &m) != nil {
		return ""
	}
	id, _ = m.Cell.(string)
	list, _ := m.Deleted.([]any)
	if t, ok := exec.(Tracker); ok && len(list) > 0 {
		var ids []string
		for _, v := range list {
			if d, ok := v.(string); ok && d != id {
				ids = append(ids, d)
			}
		}
		t.Deleted(ids)
	}
	return id
}

// staleMetadata returns the metadata of an execute_reply: the stale cells, nil if there are none.
func (s *Server) staleMetadata(exec Executor) (metadata json.RawMessage) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("stale cells: panic: %v\n%s", r, debug.Stack())
			metadata = nil
		}
	}()
	t, ok := exec.(Tracker)
	if !ok {
		return nil
	}
	list := t.Stale()
	if len(list) == 0 {
		return nil
	}
	metadata, err := wire.Marshal(map[string]any{"overcomplete": map[string]any{"stale": list}})
	if err != nil {
		s.log.Printf("stale cells: %v", err)
		return nil
	}
	return metadata
}
