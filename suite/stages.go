package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/paper/record"
	"overcomplete/suite/reach"
)

// stageCode records the code that made a stage. (A stage may be a learned basis, or an error rate that took a long
// time to compute.) It is stored next to the stage's file, because the file's name contains only the settings.
type stageCode struct {
	Target  string        `json:"target"`
	Code    []reach.Part  `json:"code"`
	Modules []string      `json:"modules"`
	Made    record.Making `json:"made"`
}

const codeSuffix = ".code"

// stages stores the code of each stage that the experiment has made since the given time. For each stage that the
// experiment only read, it returns a message if the code has changed since the stage was made. Such a change does not
// make the stage run again, which could take hours, but the user should know about it.
func (st *Step) stages(used []record.Dependency, begin time.Time) (said []string) {
	for _, u := range used {
		if u.Kind != record.UsedFile || !filepath.IsAbs(filepath.FromSlash(u.Name)) {
			continue // files under version control need no such message
		}
		path := filepath.FromSlash(u.Name)
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if !info.ModTime().Before(begin) {
			made := record.Program()
			made.Started = begin.UTC().Format(time.RFC3339)
			b, err := json.Marshal(stageCode{st.Target, st.inputs.Code, st.inputs.Modules, made})
			if err == nil {
				err = atomicfile.Write(path+codeSuffix, b, 0o644)
			}
			if err != nil {
				said = append(said, fmt.Sprintf("%s: cannot record which code made this file: %v", path, err))
			}
			continue
		}
		b, err := os.ReadFile(path + codeSuffix)
		if err != nil {
			continue
		}
		var c stageCode
		if json.Unmarshal(b, &c) != nil {
			continue
		}
		why := slices.Concat(reach.Diff(c.Code, st.inputs.Code), reach.DiffModules(c.Modules, st.inputs.Modules))
		if c.Target != st.Target || len(why) == 0 { // another experiment reaches other code
			continue
		}
		said = append(said, fmt.Sprintf("%s read %s of %s, which is older than this change: %s (--fresh makes it again)",
			st.Target, filepath.Base(path), c.Made.Started, Step{Why: why}.Reason()))
	}
	return said
}
