package modules

import (
	"fmt"
	"os"
	"path/filepath"
)

// Check makes sure, before the program is started, that the file is what was compiled, and that
// nobody but the user can have written it.
func (p *Program) Check() error {
	dir := filepath.Dir(p.Path)
	for _, name := range []string{filepath.Dir(dir), dir, p.Path} {
		if err := trusted(name); err != nil {
			return p.bad(err)
		}
	}
	size, sum, err := hash(p.Path)
	if err != nil {
		return p.bad(err)
	}
	if size != p.manifest.Size || sum != p.manifest.SHA256 {
		// It is of no use to anybody: the next time it is compiled anew.
		os.Remove(filepath.Join(dir, manifestFile))
		return p.bad(fmt.Errorf("%s is not what was compiled", p.Path))
	}
	p.touch()
	return nil
}

func (p *Program) bad(err error) error {
	return &Error{Kind: Failed, What: p.Path, Text: "the compiled program must not be started: " + err.Error(), Advice: "run the cell again, which compiles it anew"}
}
