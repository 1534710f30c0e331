package taskdict

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel-helpers/internal/adam"
)

// state holds everything needed to resume training.
type state struct {
	Options string // identity of the run
	// The basis B is D×Atoms, the signals are D×Signals.
	D, Atoms, Signals int
	Epoch             int       // number of finished epochs
	B                 []float64 // D×Atoms
	Theta             []float64
	R                 []float64 // Signals×D: residuals, for warm starts
	Basis, Head       adam.Moments
	Best              int
	BestB             []float64
	BestTheta         []float64
	BestScore         float64
	History           []Epoch
}

// magic is the header of a checkpoint, a gob with a checksum.
const magic = "overcomplete backprop 1\n"

// write replaces the checkpoint atomically.
func (s *state) write(path string) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return fmt.Errorf("taskdict: checkpoint: %w", err)
	}
	if err := atomicfile.WriteSealed(path, magic, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("taskdict: checkpoint: %w", err)
	}
	return nil
}

// resume reads a checkpoint if it exists, and returns an error if the checkpoint is from another run.
func (s *state) resume(path string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("taskdict: checkpoint: %w", err)
	}
	r, err := parse(b)
	if err != nil {
		return fmt.Errorf("taskdict: checkpoint %s: %w; remove it to start anew", path, err)
	}
	if r.Options != s.Options || r.D != s.D || r.Atoms != s.Atoms || r.Signals != s.Signals || len(r.Theta) != len(s.Theta) {
		return fmt.Errorf("taskdict: checkpoint %s belongs to a training with other options or data; remove it to start anew", path)
	}
	*s = *r
	return nil
}

func parse(b []byte) (*state, error) {
	content, err := atomicfile.Unseal(magic, b)
	if err != nil {
		return nil, err
	}
	return decode(content)
}

func decode(b []byte) (*state, error) {
	s := new(state)
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(s); err != nil {
		return nil, err
	}
	basis, theta := len(s.B), len(s.Theta)
	// Divide, because products may overflow.
	fits := s.D > 0 && s.Atoms == basis/s.D && basis%s.D == 0 && s.Signals == len(s.R)/s.D && len(s.R)%s.D == 0 &&
		len(s.Basis.M) == basis && len(s.Basis.V) == basis && len(s.BestB) == basis &&
		len(s.Head.M) == theta && len(s.Head.V) == theta && len(s.BestTheta) == theta
	if !fits {
		return nil, errors.New("its parts do not fit together")
	}
	return s, nil
}
