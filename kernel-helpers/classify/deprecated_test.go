package classify

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	X := mat.NewDense(8, 2, []float64{0, 1, 1, 0.5, 0.2, 0, 1, 1.5, 5, 5, 6, 5, 5, 6.5, 7, 6})
	y := []int{0, 0, 0, 0, 1, 1, 1, 1}
	ctx := t.Context()
	same := func(name string) func(is any, err error) func(was any, err error) {
		return func(is any, err error) func(any, error) {
			return func(was any, err2 error) {
				if err != nil || err2 != nil || !reflect.DeepEqual(was, is) {
					t.Errorf("%s: %v (%v), and by the old name %v (%v)", name, is, err, was, err2)
				}
			}
		}
	}
	same("FitMaxent")(any2(FitMaxent(ctx, X, y, nil)))(any2(TrainMaxent(ctx, X, y, nil)))
	no := &NetworkOptions{Hidden: 3, Epochs: 2, NoValidation: true}
	same("FitNetwork")(any2(FitNetwork(ctx, X, y, no)))(any2(TrainNetwork(ctx, X, y, no)))
	same("FitLinearSVM")(any2(FitLinearSVM(ctx, X, y, nil)))(any2(TrainLinearSVM(ctx, X, y, nil)))
	same("FitRBFSVM")(any2(FitRBFSVM(ctx, X, y, nil)))(any2(TrainRBFSVM(ctx, X, y, nil)))
	same("FitMDA")(any2(FitMDA(ctx, X, y, nil)))(any2(TrainMDA(X, y, nil)))
	same("Standardize")(any2(Standardize(X)))(any2(Standardise(X)))
	m, err := FitMDA(ctx, X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Standardize(X)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(m.Project(X), m.Transform(X)) || !mat.Equal(s.Apply(X), s.Transform(X)) || m.Centres != m.Centers {
		t.Error("Project, Apply or Centres differs")
	}
	r, err := FitRBFSVM(ctx, X, y, nil)
	if err != nil || !reflect.DeepEqual(r.Centre, r.Center) {
		t.Errorf("Centre is %v, Center %v (%v)", r.Centre, r.Center, err)
	}
}

func any2[T any](v T, err error) (any, error) { return v, err }
