package regcode

import (
	"errors"
	"fmt"
	"reflect"
)

// Verify returns an error if c is invalid. The machine itself does not check this, because it trusts all code. Verify
// cannot check whether lengths match the memory behind pointers, nor which registers are used by sites and helpers.
func (c *Code) Verify() error {
	switch {
	case len(c.Ops) == 0:
		return errors.New("regcode: no ops")
	case c.NN < 0 || c.NP < 0 || c.NN > len(N{}) || c.NP > len(P{}):
		return fmt.Errorf("regcode: %d and %d registers", c.NN, c.NP)
	case c.AtConstN < 0 || c.AtConstN+len(c.ConstN) > c.NN || c.AtConstP < 0 || c.AtConstP+len(c.ConstP) > c.NP:
		return errors.New("regcode: the constants have no registers")
	}
	for i, o := range c.Ops {
		if err := c.verify(i, o); err != nil {
			return fmt.Errorf("regcode: op %d, %v: %w", i, o, err)
		}
	}
	return nil
}

func (c *Code) verify(i int, o Op) error {
	if o.Code >= opcodes {
		return errors.New("unknown")
	}
	for _, f := range o.fields() {
		if err := c.register(f); err != nil {
			return err
		}
	}
	s := infos[o.Code].shape
	switch inside := func(to int32) bool { return to >= 0 && int(to) < len(c.Ops) }; {
	case s&(jumps|jumpsOr) != 0 && !inside(o.To), s&jumpsOr != 0 && !inside(o.Or):
		return errors.New("jumps out of the code")
	case s&(jumps|jumpsOr|ends) == 0 && o.Code != OpDo && i == len(c.Ops)-1: // a site at the end panics
		return errors.New("goes on behind the code")
	case s&fails != 0 && o.To < 0:
		return errors.New("has no site")
	}
	return c.operand(i, o)
}

// operand returns an error if an operand of o, the op with index i, is invalid. It checks the operands that are not
// registers, and the registers of calls.
func (c *Code) operand(i int, o Op) error {
	in := func(length int) error {
		if o.Or < 0 || int(o.Or) >= length {
			return fmt.Errorf("%d of %d", o.Or, length)
		}
		return nil
	}
	switch o.Code {
	case OpHelp:
		return in(len(c.Helpers))
	case OpCall1:
		return in(len(c.Math1))
	case OpCall2:
		return in(len(c.Math2))
	case OpLoop:
		if err := in(len(c.Loops)); err != nil {
			return err
		}
		if at := c.Loops[o.Or].At; int(at) != i {
			return fmt.Errorf("the loop says that it is at %d", at)
		}
	case OpTypeOf:
		return in(len(c.Itabs))
	case OpCallOf, OpCallFunc, OpCallMethod:
		if err := in(len(c.Calls)); err != nil {
			return err
		}
		return c.call(o.Code, &c.Calls[o.Or])
	case OpCopy:
		if o.Imm <= 0 {
			return fmt.Errorf("elements of %d bytes", o.Imm)
		}
	case OpElem, OpElemOf:
		if o.Imm < 0 || o.Or < 0 {
			return errors.New("a negative size")
		}
	case OpFloatInt, OpFloat32Int:
		if k := reflect.Kind(o.B); k < reflect.Int || k > reflect.Uintptr {
			return fmt.Errorf("no integer: %v", k)
		}
	}
	return nil
}

func (c *Code) call(op Opcode, k *Call) error {
	if (k.Func != nil) != (op == OpCallOf) || (k.Closure != nil) != (op == OpCallFunc) || (k.Methods != nil) != (op == OpCallMethod) {
		return errors.New("no function, or one too many")
	}
	// The callee's registers must hold the arguments and the results; a missing callee may become known
	// later.
	if k.Func == nil {
	} else if code := k.Func.Code.Load(); code != nil {
		if max(len(k.ArgN), len(k.ResN)) > code.NN || max(len(k.ArgP), len(k.ResP)) > code.NP {
			return fmt.Errorf("%s has too few registers", k.Func.Name)
		}
	}
	for _, list := range []struct {
		file      byte
		set       bool
		registers []uint16
	}{{'n', false, k.ArgN}, {'p', false, k.ArgP}, {'n', true, k.ResN}, {'p', true, k.ResP}} {
		for _, r := range list.registers {
			if err := c.register(field{list.file, r, list.set}); err != nil {
				return err
			}
		}
	}
	return nil
}

// register returns an error if the register that f names does not exist, or if f sets a register that holds a
// constant.
func (c *Code) register(f field) error {
	length, from, constants := c.NN, c.AtConstN, len(c.ConstN)
	if f.file == 'p' {
		length, from, constants = c.NP, c.AtConstP, len(c.ConstP)
	}
	r := int(f.register)
	if r >= length {
		return fmt.Errorf("there is no register %c%d", f.file, r)
	}
	if f.set && r >= from && r < from+constants {
		return fmt.Errorf("sets the constant %c%d", f.file, r)
	}
	return nil
}
