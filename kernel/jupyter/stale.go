package jupyter

import (
	"encoding/json"
	"runtime/debug"

	"overcomplete/kernel/internal/stale"
	"overcomplete/kernel/wire"
)

// A Tracker is an Executor that knows which cells are stale, that is, have read a name that has since been redefined
// (package stale). The server never calls its methods during Execute.
type Tracker interface {
	// Stale returns the stale cells.
	Stale() []stale.Cell
	// Deleted records that cells are no longer in the notebook.
	Deleted(ids []string)
}

// cellOf returns the id of the cell that a request runs, or "" if the id is unknown. It also passes the ids of deleted
// cells on to exec. JupyterLab and Notebook 7 send the ids of the running cell and of deleted cells. VS Code sends only
// the id of the running cell.
func (s *Server) cellOf(req *request, exec Executor) (id string) {
	var m struct {
		Cell    any `json:"cellId"` // the protocol does not specify this entry; a value of another type is no id
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

// staleMetadata returns the metadata of an execute_reply that lists the stale cells, or nil if no cell is stale.
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
