// Package deferclosure defers a closure.
package deferclosure

type log struct{ depth, sum int }

func (l *log) visit(x int) int {
	l.depth++
	defer func() {
		l.depth--
		l.sum += x % 7
	}()
	return x*l.depth + 1
}

// Run makes n calls of a method that defers a closure, and returns a checksum.
func Run(n int) int {
	l := &log{}
	sum := 0
	for i := range n {
		sum += l.visit(i)
	}
	return sum + l.sum + l.depth
}
