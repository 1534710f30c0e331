// Package manymethods has types with methods of all kinds: of values, of pointers, embedded, of instances.
package manymethods

import (
	"bytes"
	"fmt"
	"sync"
)

type V struct{ a, b int }

func (V) A() int { return 1 }
func (V) B() int { return 2 }
func (V) c() int { return 3 }

type P struct{ p *int }

func (P) A() int  { return 1 }
func (*P) B() int { return 2 }

type M map[string]int

func (M) A() int { return 1 }

type F func()

func (F) A() int { return 1 }

type E struct {
	V
	*P2
	sync.Mutex
	bytes.Buffer
	fmt.Stringer
}

type P2 struct{ x int }

func (*P2) D() int { return 1 }

type G[T any] struct {
	V
	x T
}

func (G[T]) X() T   { var x T; return x }
func (*G[T]) Y() *T { return nil }

type H struct{ G[int] }

var anonymous = struct {
	V
	H
}{}

func Use() []any {
	type local struct{ V }
	return []any{V{}, P{}, M{}, F(nil), &E{}, G[int]{}, &G[string]{}, H{}, anonymous, local{}, generic[int](), generic[V](), struct{ *E }{}}
}

func generic[T any]() any {
	type local struct{ G[T] }
	return local{}
}
