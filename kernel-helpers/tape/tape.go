package tape

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/product"
)

// A Value is a matrix on a Tape: a constant, an input, a parameter, or the result of an operation.
type Value struct {
	// X is the value itself. It must not be changed.
	X *mat.Dense
	// Grad is ∂L/∂X after a call to Backward. It is nil if L does not depend on X, or if X does not depend on
	// a parameter or an input. It must not be changed, because equal gradients may share memory.
	Grad *mat.Dense

	tape   *Tape
	pass   uint64 // the tape's pass that created it
	needs  bool   // depends on a parameter or an input
	shared bool   // Grad belongs to another value: it must not be changed
	back   func()
}

// Dims returns the numbers of rows and columns.
func (v *Value) Dims() (r, c int) {
	mustNotBeNil(v)
	return v.X.Dims()
}

// mustNotBeNil panics if v is nil.
func mustNotBeNil(v *Value) {
	if v == nil {
		panic("tape: a value is nil")
	}
}

// mustBe panics if the tape is nil.
func (t *Tape) mustBe() {
	if t == nil {
		panic("tape: the tape is nil: New makes one")
	}
}

// Scalar returns the number in a 1×1 value.
func (v *Value) Scalar() float64 {
	if v.tape != nil && v.pass != v.tape.pass {
		panic("tape: Scalar: the value is from before Reset")
	}
	if r, c := v.X.Dims(); r != 1 || c != 1 {
		panic(fmt.Sprintf("tape: Scalar: the value is %d×%d", r, c))
	}
	return v.X.At(0, 0)
}

// gradient returns v.Grad for the caller to change. If v has no gradient yet, gradient first sets it to 0.
func (v *Value) gradient() *mat.Dense {
	switch {
	case v.Grad == nil:
		v.Grad = v.tape.Matrix(v.X.Dims())
	case v.shared:
		v.Grad, v.shared = v.tape.copyOf(v.Grad), false
	}
	return v.Grad
}

// A Tape is the list of the operations of one forward pass. The zero Tape is
// ready for use.
type Tape struct {
	values []*Value
	pass   uint64          // number of calls to Reset
	walked bool            // Backward was called in this pass
	ctx    context.Context // nil outside Until
	over   bool            // check has ended the call to Until

	// The memory of values and gradients. slabs[slab][:used] is in use; later slabs are free.
	slabs      [][]float64
	slab, used int
}

// New returns an empty tape.
func New() *Tape { return &Tape{} }

// Until calls record(), and then returns nil. If ctx is done, Until stops this call at the next operation on t, or in
// the middle of a long product, and returns ctx's error. It is for training loops, where record computes a loss and
// calls Backward. After an error, the values and gradients of this pass are unfinished, so call Reset and Zero before
// the next pass.
func (t *Tape) Until(ctx context.Context, record func()) (err error) {
	t.mustBe()
	if record == nil {
		panic("tape: Until: record is nil")
	}
	if ctx == nil || ctx.Done() == nil { // never ends
		record()
		return nil
	}
	t.ctx = ctx
	defer func() {
		if t.over {
			recover()
			err = ctx.Err()
		}
		t.ctx, t.over = nil, false
	}()
	t.check()
	record()
	return ctx.Err()
}

// check panics if the context of Until is done. Until recovers from this panic and returns the context's error.
func (t *Tape) check() {
	if t.ctx != nil && t.ctx.Err() != nil {
		t.over = true
		panic(t.ctx.Err())
	}
}

// Reset empties the tape for another pass in the same memory, so a training loop with one tape creates no
// garbage. All values of the previous pass, and their gradients, become invalid; parameters do not.
func (t *Tape) Reset() {
	clear(t.values)
	t.values, t.slab, t.used = t.values[:0], 0, 0
	t.pass, t.walked = t.pass+1, false
}

// Matrix returns a matrix of zeros in the tape's memory, for the result of an
// operation that is then passed to Op.
func (t *Tape) Matrix(r, c int) *mat.Dense {
	m := t.room(r, c)
	clear(m.RawMatrix().Data)
	return m
}

// room is like Matrix, but the elements are undefined.
func (t *Tape) room(r, c int) *mat.Dense {
	t.mustBe()
	t.check()
	if r < 1 || c < 1 {
		panic(fmt.Sprintf("tape: Matrix: %d×%d is not a shape", r, c))
	}
	const first, largest = 1 << 8, 1 << 16
	n := r * c
	for t.slab < len(t.slabs) && t.used+n > len(t.slabs[t.slab]) {
		t.slab, t.used = t.slab+1, 0
	}
	if t.slab == len(t.slabs) {
		// Each slab is twice as large as the previous one, so that a small pass takes little memory.
		size := first
		if t.slab > 0 {
			size = min(largest, 2*len(t.slabs[t.slab-1]))
		}
		t.slabs = append(t.slabs, make([]float64, max(n, size)))
	}
	x := t.slabs[t.slab][t.used : t.used+n : t.used+n]
	t.used += n
	return mat.NewDense(r, c, x)
}

// copyOf returns a copy of m in the tape's memory.
func (t *Tape) copyOf(m mat.Matrix) *mat.Dense {
	x := t.room(m.Dims())
	x.Copy(m)
	return x
}

// Const puts on the tape a matrix without a gradient, such as data.
func (t *Tape) Const(X *mat.Dense) *Value {
	t.mustBe()
	mustBeFinite("Const", X)
	return &Value{X: X, tape: t, pass: t.pass}
}

// Input puts on the tape a matrix that is not a parameter but has a gradient, which shows how an output
// depends on the data.
func (t *Tape) Input(X *mat.Dense) *Value {
	t.mustBe()
	mustBeFinite("Input", X)
	return &Value{X: X, tape: t, pass: t.pass, needs: true}
}

// Param puts a parameter on the tape. Its gradient goes to p.Grad. A parameter
// may be put on the tape more than once.
func (t *Tape) Param(p *Param) *Value {
	t.mustBe()
	if p == nil {
		panic("tape: Param: the parameter is nil")
	}
	return &Value{X: p.X, Grad: p.Grad, tape: t, pass: t.pass, needs: true}
}

// Op puts on the tape the result x of an operation on the inputs. In this way other packages can add operations.
// Backward calls back(∂L/∂x), which must add to the gradients of the inputs; the method Accumulate returns the
// matrices to add to. Op panics if it is called after Backward, or if an input is from another tape or from
// before Reset.
func (t *Tape) Op(x *mat.Dense, back func(grad *mat.Dense), inputs ...*Value) *Value {
	t.mustBe()
	t.check()
	if t.walked {
		panic("tape: an operation after Backward: call Reset first")
	}
	v := &Value{X: x, tape: t, pass: t.pass}
	for _, in := range inputs {
		t.owns("an operation", in)
		v.needs = v.needs || in.needs
	}
	if v.needs {
		v.back = func() { back(v.Grad) }
		t.values = append(t.values, v)
	}
	return v
}

// Accumulate returns the matrix to which the backward pass of an operation adds ∂L/∂v, or nil if that
// gradient is not needed.
func (v *Value) Accumulate() *mat.Dense {
	if !v.needs {
		return nil
	}
	return v.gradient()
}

// Backward computes the gradient of the loss (1×1) with respect to everything that the loss was computed from. It can
// be called once per pass; a second call before Reset panics. No gradient changes if the loss depends on neither a
// parameter nor an input.
func (t *Tape) Backward(loss *Value) {
	t.mustBe()
	t.owns("Backward", loss)
	if r, c := loss.X.Dims(); r != 1 || c != 1 {
		panic(fmt.Sprintf("tape: Backward: the loss is %d×%d, not 1×1", r, c))
	}
	if t.walked {
		panic("tape: Backward: called twice on one tape: call Reset first")
	}
	t.walked = true
	if !loss.needs {
		return
	}
	loss.gradient().Set(0, 0, 1)
	// Inputs precede the values computed from them, so, in a backward pass, each gradient is complete when it
	// is needed.
	for i := len(t.values) - 1; i >= 0; i-- {
		if v := t.values[i]; v.Grad != nil {
			t.check()
			v.back()
		}
	}
}

// owns panics unless v was created by this tape in this pass: the memory of other values may have been
// reused.
func (t *Tape) owns(what string, v *Value) {
	if v == nil {
		panic("tape: " + what + ": a value is nil")
	}
	if v.tape != t {
		panic("tape: " + what + ": a value of another tape")
	}
	if v.pass != t.pass {
		panic("tape: " + what + ": a value from before Reset")
	}
}

// addTo adds g, the gradient of another value, to the gradient of v, if v needs one.
func (v *Value) addTo(g *mat.Dense) {
	switch {
	case !v.needs:
	case v.Grad == nil:
		v.Grad, v.shared = g, true
	default:
		sum := v.Grad
		if v.shared {
			sum = v.tape.room(v.X.Dims())
		}
		r, _ := g.Dims()
		for i := range r {
			floats.AddTo(sum.RawRowView(i), v.Grad.RawRowView(i), g.RawRowView(i))
		}
		v.Grad, v.shared = sum, false
	}
}

// take is like addTo, but may make g itself the gradient of v, without a copy, and may change it later. The caller
// must not use g afterwards.
func (v *Value) take(g *mat.Dense) {
	if v.needs && v.Grad == nil {
		v.Grad = g
	} else {
		v.addTo(g)
	}
}

// addMul adds op(A)·op(B) to the gradient of v, if v needs one. op is as in mul.
func (v *Value) addMul(tA blas.Transpose, A *mat.Dense, tB blas.Transpose, B *mat.Dense) {
	switch {
	case !v.needs:
	case v.Grad == nil:
		v.Grad = v.tape.room(v.X.Dims())
		v.tape.mul(v.Grad, tA, A, tB, B, 0)
	default:
		v.tape.mul(v.gradient(), tA, A, tB, B, 1)
	}
}

// mul stores op(A)·op(B) + beta·dst in dst. tA says whether op(A) is A or Aᵀ, and tB says the same for B.
func (t *Tape) mul(dst *mat.Dense, tA blas.Transpose, A *mat.Dense, tB blas.Transpose, B *mat.Dense, beta float64) {
	ctx := t.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	if product.Gemm(ctx, tA, tB, 1, A.RawMatrix(), B.RawMatrix(), beta, dst.RawMatrix()) != nil {
		t.check()
	}
}

// mustBeFinite panics unless X has elements and all are finite.
func mustBeFinite(what string, X *mat.Dense) {
	if X == nil || X.IsEmpty() {
		panic(fmt.Sprintf("tape: %s: the matrix is empty", what))
	}
	if i, j := finite.Find(X); i >= 0 {
		panic(fmt.Sprintf("tape: %s: element (%d, %d) is %v", what, i, j, X.At(i, j)))
	}
}
