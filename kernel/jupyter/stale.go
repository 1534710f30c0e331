package jupyter

import (
	"encoding/json"
	"runtime/debug"

	"overcomplete/kernel/internal/stale"
	"overcomplete/kernel/wire"
)

// A Tracker is an Executor that tracks stale cells. The server calls its methods while no Execute runs.
type Tracker interface {
	// Stale returns the stale cells.
	Stale() []stale.Cell
	// Deleted records that cells are no longer in the notebook.
	Deleted(ids []string)
}

// cellOf returns the id of the cell that a request runs, "" if unknown, and passes on the deleted cells.
// JupyterLab and Notebook 7 send both, VS Code only the id.
func (s *Server) cellOf(req *request, exec Executor) (id string) {
	var m struct {
		Cell    any `json:"cellId"` // metadata are not specified; other types are not ids
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

// staleMetadata returns the metadata of an execute_reply with the stale cells, nil if there are none.
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
