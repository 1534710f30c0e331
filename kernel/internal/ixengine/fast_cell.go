package ixengine

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A cell is memory for one value of a type, for operations that take a value by its address. A call makes its
// cells at their first use.

// A cellKey identifies a cell, which is memory for a value that is passed by its address. It consists of the value's
// type and a number. The number is for instructions that need several cells of one type.
type cellKey struct {
	t types.Type
	k int
}

// takeCells assigns registers for the addresses of the cells that an instruction needs.
func (c *fastCompiler) takeCells(in ssa.Instruction) {
	if t := keyTypeOf(in); t != nil {
		c.takeCell(cellKey{t: t})
	}
	chans := channelsOf(in)
	for i := range chans {
		key := keyOf(chans, i)
		sh := c.shapes.get(key.t)
		if sh != nil && placeOf(sh) == inCell {
			c.takeCell(key)
		}
	}
}

func (c *fastCompiler) takeCell(key cellKey) {
	if _, known := c.cells[key]; !known {
		c.cells[key] = c.taken.p
		c.taken.p++
	}
}

// keyTypeOf returns the key type of the map that an instruction accesses by a key, or nil for other
// instructions.
func keyTypeOf(in ssa.Instruction) types.Type {
	var m ssa.Value
	switch in := in.(type) {
	case *ssa.Lookup:
		m = in.X
	case *ssa.MapUpdate:
		m = in.Map
	case *ssa.Call:
		if b, ok := in.Call.Value.(*ssa.Builtin); ok && b.Name() == "delete" {
			m = in.Call.Args[0]
		}
	}
	if m == nil {
		return nil
	}
	if t, ok := m.Type().Underlying().(*types.Map); ok {
		return t.Key()
	}
	return nil
}

// channelsOf returns the channels on which an instruction sends or receives.
func channelsOf(in ssa.Instruction) (list []ssa.Value) {
	switch in := in.(type) {
	case *ssa.Send:
		return []ssa.Value{in.Chan}
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			return []ssa.Value{in.X}
		}
	case *ssa.Select:
		for _, st := range in.States {
			list = append(list, st.Chan)
		}
	}
	return list
}

// keyOf returns the key of the cell for channel i of an instruction.
func keyOf(chans []ssa.Value, i int) cellKey {
	key := cellKey{t: elemOf(chans[i])}
	for _, ch := range chans[:i] {
		if elemOf(ch) == key.t {
			key.k++
		}
	}
	return key
}

func elemOf(ch ssa.Value) types.Type { return ch.Type().Underlying().(*types.Chan).Elem() }
