//go:build !unix

package wire

import "errors"

// canInherit says that a program can replace this one and inherit its files.
const canInherit = false

var errCannotInherit = errors.New("on this system a running program cannot be replaced: " + errors.ErrUnsupported.Error())

func fileOf(any) (int, error) { return 0, errCannotInherit }

// Exec fails: no program can replace this one on this system.
func (st *State) Exec(program string, argv, env []string) error { return errCannotInherit }

func inherit(*State) (*inherited, error) { return nil, errCannotInherit }
