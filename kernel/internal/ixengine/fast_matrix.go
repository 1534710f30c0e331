package ixengine

import (
	"reflect"

	"golang.org/x/tools/go/ssa"
	"gonum.org/v1/gonum/mat"

	rc "overcomplete/kernel/internal/regcode"
)

// The elements of gonum's matrices and vectors. Loops of cells read and write them one by one, so these methods are
// compiled to loads and stores, with gonum's own checks. If a check fails, the method itself is called, and
// panics with gonum's error.

// matrixMethods maps the methods to the functions that compile their calls.
var matrixMethods = map[string]func(c *matrixCall){
	"(*gonum.org/v1/gonum/mat.Dense).At":         (*matrixCall).at,
	"(*gonum.org/v1/gonum/mat.Dense).Set":        (*matrixCall).set,
	"(*gonum.org/v1/gonum/mat.Dense).Dims":       (*matrixCall).dims,
	"(*gonum.org/v1/gonum/mat.Dense).RawRowView": (*matrixCall).row,
	"(*gonum.org/v1/gonum/mat.VecDense).AtVec":   (*matrixCall).atVec,
	"(*gonum.org/v1/gonum/mat.VecDense).SetVec":  (*matrixCall).setVec,
	"(*gonum.org/v1/gonum/mat.VecDense).Len":     (*matrixCall).lenVec,
}

// Offsets of fields in a mat.Dense and a mat.VecDense.
var (
	atRows, atCols, atStride = inMat[mat.Dense]("Rows"), inMat[mat.Dense]("Cols"), inMat[mat.Dense]("Stride")
	atData                   = inMat[mat.Dense]("Data")
	atN, atInc               = inMat[mat.VecDense]("N"), inMat[mat.VecDense]("Inc")
	atVecData                = inMat[mat.VecDense]("Data")
)

// inMat returns the offset of T.mat.name from the beginning of a T, where T is a type of gonum and name is a field of
// the struct T.mat. It panics if there is no such field.
func inMat[T any](name string) int32 {
	raw, _ := reflect.TypeFor[T]().FieldByName("mat")
	f, ok := raw.Type.FieldByName(name)
	if !ok {
		panic("ixengine: this gonum has another " + reflect.TypeFor[T]().String())
	}
	return int32(raw.Offset + f.Offset)
}

// A matrixCall is a call of a matrix method that is compiled to loads and stores.
type matrixCall struct {
	*fastCompiler
	args []uint16 // first register of each argument
	regs []uint16 // registers of the results
	site int32    // where the interpreter makes the call, which panics
}

// do emits the given op, which fails if the matrix method would panic. After a failure the code continues at the site,
// which calls the method itself.
func (c *matrixCall) do(op rc.Op) {
	op.To = c.site
	c.emit(op)
}

// field emits an op that loads a word of the receiver, at the given offset, into temporary register temp. It returns
// that register.
func (c *matrixCall) field(offset int32, temp uint16) uint16 {
	d := c.temp(false, temp)
	c.do(rc.Op{Code: rc.OpLoad64, D: d, A: c.args[0], Imm: offset})
	return d
}

// element emits ops that check the two indices of a matrix element, and compute where it is. It returns three
// registers: the pointer to the matrix's data, the element's index in the data, and the length of the data.
func (c *matrixCall) element() (data, i, n uint16) {
	c.do(rc.Op{Code: rc.OpCheck, B: c.args[1], C: c.field(atRows, 0)})
	c.do(rc.Op{Code: rc.OpCheck, B: c.args[2], C: c.field(atCols, 0)})
	i = c.times(c.args[1], atStride)
	c.emit(rc.Op{Code: rc.OpAdd, D: i, A: i, B: c.args[2]})
	return c.data(atData), i, c.field(atData+word, 0)
}

// elementVec is like element, for a vector.
func (c *matrixCall) elementVec() (data, i, n uint16) {
	c.do(rc.Op{Code: rc.OpCheck, B: c.args[1], C: c.field(atN, 0)})
	i = c.times(c.args[1], atInc)
	return c.data(atVecData), i, c.field(atVecData+word, 0)
}

// times emits ops that multiply register i by the receiver's field at the given offset, and returns the register with
// the product.
func (c *matrixCall) times(i uint16, at int32) uint16 {
	d := c.field(at, 1)
	c.emit(rc.Op{Code: rc.OpMul, D: d, A: i, B: d})
	return d
}

func (c *matrixCall) data(at int32) uint16 {
	d := c.temp(true, 0)
	c.do(rc.Op{Code: rc.OpLoadP, D: d, A: c.args[0], Imm: at})
	return d
}

func (c *matrixCall) at() {
	data, i, n := c.element()
	c.do(rc.Op{Code: rc.OpAt64, D: c.regs[0], A: data, B: i, C: n})
}

func (c *matrixCall) set() {
	data, i, n := c.element()
	c.do(rc.Op{Code: rc.OpSet64, D: c.args[3], A: data, B: i, C: n})
}

func (c *matrixCall) atVec() {
	data, i, n := c.elementVec()
	c.do(rc.Op{Code: rc.OpAt64, D: c.regs[0], A: data, B: i, C: n})
}

func (c *matrixCall) setVec() {
	data, i, n := c.elementVec()
	c.do(rc.Op{Code: rc.OpSet64, D: c.args[2], A: data, B: i, C: n})
}

func (c *matrixCall) dims() {
	rows, cols := c.field(atRows, 0), c.field(atCols, 1)
	c.emit(rc.Op{Code: rc.OpMove, D: c.regs[0], A: rows})
	c.emit(rc.Op{Code: rc.OpMove, D: c.regs[1], A: cols})
}

func (c *matrixCall) lenVec() {
	c.emit(rc.Op{Code: rc.OpMove, D: c.regs[0], A: c.field(atN, 0)})
}

// row compiles RawRowView: Data[i*Stride : i*Stride+Cols].
func (c *matrixCall) row() {
	c.do(rc.Op{Code: rc.OpCheck, B: c.args[1], C: c.field(atRows, 0)})
	cols, start, capacity := c.field(atCols, 0), c.times(c.args[1], atStride), c.field(atData+2*word, 2)
	last := c.temp(false, 3)
	c.emit(rc.Op{Code: rc.OpAdd, D: last, A: start, B: cols})
	c.emit(rc.Op{Code: rc.OpAddI, D: last, A: last, Imm: -1})
	c.do(rc.Op{Code: rc.OpCheck, B: last, C: capacity})
	data := c.data(atData)
	c.do(rc.Op{Code: rc.OpElem, D: c.regs[0], A: data, B: start, C: capacity, Imm: word})
	c.emit(rc.Op{Code: rc.OpMove, D: c.regs[1], A: cols})
	c.emit(rc.Op{Code: rc.OpSub, D: c.regs[2], A: capacity, B: start})
}

// word is the size of a word in memory.
const word = 8

// matrixMethod compiles a call of f if f is one of the methods in matrixMethods.
func (c *fastCompiler) matrixMethod(in *ssa.Call, f *ssa.Function) bool {
	compile := matrixMethods[f.String()]
	if compile == nil {
		return false
	}
	m := &matrixCall{fastCompiler: c, site: c.panicking(in)}
	for _, v := range in.Call.Args {
		m.args = append(m.args, c.reg(v))
	}
	if in.Call.Signature().Results().Len() > 0 {
		if !c.has(in) {
			return false
		}
		m.regs = c.all(in)
	}
	compile(m)
	return true
}
