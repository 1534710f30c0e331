package main

import "fmt"

// A onceLoop is a cell that declares a function with a loop and calls this function once. The earlier engine, whose
// times are in baseline.json, took about 1 ms for such a cell; compiling the function must not make the cell slower.
type onceLoop struct {
	name       string
	goCell, py string // contain the number of the turn, so that each turn's source is new
}

var oneTimeLoops = []onceLoop{
	{
		"numbers",
		`func once%[1]d(n int) float64 {
	s := %[1]d.0
	for i := 0; i < n; i++ {
		s += float64(i) * 0.5
	}
	return s
}
once%[1]d(80000)`,
		`def once%[1]d(n):
    s = %[1]d.0
    for i in range(n):
        s += i * 0.5
    return s
once%[1]d(80000)`,
	},
	{
		"rows of a matrix",
		`func once%[1]d(n int) float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			a[i][j] = float64(i*j + %[1]d)
		}
	}
	s := 0.0
	for i := range a {
		for j := range a {
			s += a[i][j] * a[j][i]
		}
	}
	return s
}
once%[1]d(38)`,
		`def once%[1]d(n):
    a = [[float(i * j + %[1]d) for j in range(n)] for i in range(n)]
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += a[i][j] * a[j][i]
    return s
once%[1]d(38)`,
	},
	{
		"append and a map",
		`func once%[1]d(n int) int {
	var list []int
	counts := map[int]int{}
	for i := 0; i < n; i++ {
		list = append(list, i+%[1]d)
		counts[i%%7]++
	}
	return len(list) + counts[3]
}
once%[1]d(1500)`,
		`def once%[1]d(n):
    items = []
    counts = {}
    for i in range(n):
        items.append(i + %[1]d)
        counts[i %% 7] = counts.get(i %% 7, 0) + 1
    return len(items) + counts[3]
once%[1]d(1500)`,
	},
}

func (l onceLoop) turner(k kind) (turner, error) {
	source := l.goCell
	if k.name == "ipykernel" {
		source = l.py
	}
	i := 0
	return withOneKernel(k, func(p *process) (float64, error) {
		i++
		_, ms, err := p.run(fmt.Sprintf(source, i))
		return ms, err
	})
}
