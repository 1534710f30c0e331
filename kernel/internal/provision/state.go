package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"overcomplete/kernel/modules"
)

// A resumeState is the state that a program passes, as JSON, to the program that replaces it.
type resumeState struct {
	Env    []byte           `json:"env"`
	Used   []string         `json:"used"`
	Source []string         `json:"source"` // packages in Used that run from source
	Pinned []modules.Module `json:"pinned"`
	Done   []string         `json:"done"`

	Record  string                      `json:"record,omitempty"` // Options.Record
	Answers map[string][]modules.Module `json:"answers,omitempty"`
}

// keep returns the state for Resume. more holds the additional imports of the cell.
func (p *Provider) keep(env Env, more []string) ([]byte, error) {
	b, err := env.State()
	if err != nil {
		return nil, err
	}
	s := resumeState{Env: b, Used: append(slices.Clone(p.used), more...), Pinned: p.pinned, Done: p.done, Answers: p.answers, Record: p.opt.Record}
	for _, path := range p.used {
		if p.loaded(path) {
			s.Source = append(s.Source, path)
		}
	}
	return json.Marshal(s)
}

// Resume continues where another program ended. state is the State of a Replacement or of a Plan. Packages that ran
// from source in the other program run from source again, unless they are compiled into this program. If Resume returns
// an error, the Provider still works.
func (p *Provider) Resume(ctx context.Context, state []byte) error {
	var s resumeState
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("cannot read the previous program's state: %w", err)
	}
	p.state, p.pinned, p.done, p.answers = s.Env, s.Pinned, s.Done, s.Answers
	p.opt.Record = cmp.Or(s.Record, p.opt.Record)
	for _, path := range s.Used {
		if p.opt.Loader.Importable(path) {
			p.use(path)
		}
	}
	var missing []string
	for _, path := range s.Source {
		if !p.opt.Loader.Importable(path) {
			missing = append(missing, path)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	env, err := p.env()
	if err != nil {
		return err
	}
	list, err := env.Sources(ctx, p.opt.Loader.Importable, missing, func(string) {})
	if err != nil {
		return err
	}
	if err := p.opt.Loader.Load(ctx, list); err != nil {
		return err
	}
	p.use(missing...)
	return nil
}

// Notice shows text with the next cell.
func (p *Provider) Notice(text string) { p.notices = append(p.notices, text) }
