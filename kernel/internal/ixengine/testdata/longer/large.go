// Arrays and structs too large for registers, in all places where a value can be.
package main

import (
	"errors"
	"fmt"
	"sort"
)

type Board [8][8]byte

type Record struct {
	id     int
	vector [24]float64
	tags   [3]string
	err    error
	_      int
	inner  struct {
		board Board
		any   any
	}
}

type Wrapped struct {
	Record
	small int
}

func (b Board) count() (n int) {
	for _, row := range b {
		for _, c := range row {
			if c != 0 {
				n++
			}
		}
	}
	return n
}

func (b *Board) set(y, x int) Board { before := *b; b[y][x]++; return before }

func (b Board) with(y, x int) Board { b[y][x] = 'x'; return b }

func (r Record) Sum() (s float64) {
	for _, v := range r.vector {
		s += v
	}
	return s
}

type Summer interface{ Sum() float64 }

func make1(id int) Record {
	r := Record{id: id, tags: [3]string{1: "t"}, err: errors.New("e")}
	r.vector[id] = float64(id) / 2
	r.inner.board[id%8][3] = 'm'
	r.inner.any = [20]int{5: id}
	return r
}

func two() (a Board, n int, b [20]string) { a[1][1] = 1; b[19] = "last"; return a, 7, b }

func choose(which bool, a, b Record) Record {
	c := a
	if which {
		c = b
	}
	c.id *= 10
	return c
}

func caught(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return
}

func main() {
	var b Board
	c := b.set(1, 2).with(3, 4).with(3, 4)
	fmt.Println(b.count(), c.count(), b == c, b == Board{1: {2: 1}}, c != Board{}, b.with(0, 0) == b.with(0, 0))
	r, s := make1(3), make1(4)
	fmt.Println(choose(true, r, s).id, choose(false, r, s).id, r.Sum(), s.Sum(), r.tags, s.inner.board.count())
	fmt.Println(r.err == s.err, r.inner == s.inner, r.inner == make1(3).inner, r.vector == make1(3).vector)

	x, n, y := two()
	fmt.Println(x.count(), n, y[19], len(y))
	a := [2]Board{b, c}
	for i, each := range a {
		a[1-i][7][7] = 9
		fmt.Print(each.count(), " ")
	}
	fmt.Println(a[0].count(), a[1].count())

	keyed := map[Board]int{b: 1, c: 2}
	keyed[b.with(5, 5)]++
	keyed[b]++
	delete(keyed, c)
	values := map[string]Record{"r": r}
	values["s"] = s
	got, ok := values["none"]
	fmt.Println(keyed[b], keyed[c], len(keyed), values["s"].id, got.id, ok, values["r"].vector[3], got == Record{})
	anys := map[any]string{b: "board", [20]int{}: "ints", r.tags: "tags"}
	fmt.Println(anys[b], anys[c] == "", anys[[20]int{}], anys[[3]string{1: "t"}])
	sum := 0.0
	for _, v := range values {
		sum += v.Sum()
	}
	fmt.Println(sum)

	var v any = r
	_, isBoard := v.(Board)
	w, isRecord := v.(Record)
	w.id = 99
	fmt.Println(isBoard, isRecord, w.id, v.(Record).id, v == any(r), any(b) == any(b.with(1, 1)))
	switch v := any(c).(type) {
	case Record:
		fmt.Println("record", v.id)
	case Board:
		fmt.Println("board", v.count())
	}
	fmt.Println(caught(func() { _ = any([20]any{func() {}}) == any([20]any{func() {}}) }), caught(func() { _ = v.(Board) }))

	list := []Record{r, s, make1(2)}
	list = append(list, list...)
	list[0].vector[0] = 5
	sort.Slice(list, func(i, j int) bool { return list[i].id < list[j].id })
	for _, each := range list {
		fmt.Print(each.id, each.vector[0], " ")
	}
	fmt.Println()
	ch := make(chan Record, 1)
	ch <- list[1]
	done := make(chan [20]int)
	go func(r Record, f func(Board) int) { done <- [20]int{r.id, f(r.inner.board)} }(<-ch, Board.count)
	ints := <-done
	fmt.Println(ints[:3])
	bound := s.Sum
	s.vector[0] = 100
	fmt.Println(bound(), s.Sum(), Summer(s).Sum(), Wrapped{Record: r, small: 1}.Sum(), Record.Sum(s))
	get := func() (Record, Board) { return s, b }
	func() {
		defer func(r Record, at int) { fmt.Println("deferred", r.id, r.vector[0], at) }(s, 1)
		s.id, s.vector[0] = -1, -1
	}()
	later, _ := get()
	p := &later
	p.inner.board = c
	q := *p
	p.inner.board[0][0] = 1
	fmt.Println(later.id, q.inner.board.count(), p.inner.board.count())
	i := 20
	var zero [20]int
	fmt.Println(caught(func() { _ = zero[i] }), caught(func() { _ = r.vector[i+4] }), zero == [20]int{}, [0]int{} == [0]int{})
	var none *Record
	fmt.Println(caught(func() { later = *none }), caught(func() { *none = later }))
	var matrix [3][40]float32
	for i := range matrix {
		matrix[i][i] = float32(i)
		row := matrix[i]
		row[0]--
		matrix[(i+1)%3] = row
	}
	fmt.Println(matrix[0][:3], matrix[1][:3], matrix[2][:3])
}
