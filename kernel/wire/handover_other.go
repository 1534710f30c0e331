//go:build !unix

package wire

import (
	"errors"
	"os"
)

// CanHandOver reports whether a program can replace this one and inherit its files.
const CanHandOver = false

var errCannotHandOver = errors.New("this system cannot replace a running program: " + errors.ErrUnsupported.Error())

func fileOf(any) (int, error) { return 0, errCannotHandOver }

// Exec fails: no program can replace this one on this system.
func (st *State) Exec(program string, argv, env []string, also *os.File) error {
	return errCannotHandOver
}

func inherit(*State) (*inheritedFiles, error) { return nil, errCannotHandOver }

func (*PipesState) inherit() (*pipe, error) { return nil, errCannotHandOver }
