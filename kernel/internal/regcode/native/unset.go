package native

import rc "overcomplete/kernel/internal/regcode"

// unset returns the P registers that an op may read before any op has set them. It leaves out constants, and the
// registers that a call receives, which are those with numbers below the second argument.
func unset(c *rc.Code, received int) []uint16 {
	all := blocksFrom(c, 0, func(int32) bool { return true })
	read := map[int32]map[uint16]bool{} // for the first op of each block: the registers that are read before they are set, from there on
	for changed := true; changed; {
		changed = false
		for at, b := range all {
			now := map[uint16]bool{}
			for _, next := range b.next {
				for r := range read[next] {
					now[r] = true
				}
			}
			for i := b.to - 1; i >= b.from; i-- {
				for _, w := range writes(c, &c.Ops[i]) {
					if w.pointer {
						delete(now, w.number)
					}
				}
				for _, r := range reads(c, &c.Ops[i]) {
					if r.pointer && int(r.number) >= received && !isConstP(c, r.number) {
						now[r.number] = true
					}
				}
			}
			if len(now) != len(read[at]) {
				read[at], changed = now, true
			}
		}
	}
	var list []uint16
	for r := range uint16(c.NP) {
		if read[0][r] {
			list = append(list, r)
		}
	}
	return list
}
