// Package wrapper declares a type over a compiled struct with fields that are not exported.
package wrapper

import "net/netip"

type Addr netip.Addr

func (a Addr) String() string { return netip.Addr(a).String() }

func Parse(s string) (Addr, error) {
	a, err := netip.ParseAddr(s)
	return Addr(a), err
}
