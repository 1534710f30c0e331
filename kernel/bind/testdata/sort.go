package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"time"
)

type celsius float64

type list []celsius

func random[T ~int | ~int8 | ~uint16 | ~float32 | ~float64](n int) []T {
	xs := make([]T, n)
	for i := range xs {
		xs[i] = T(rand.N(100))
	}
	return xs
}

// Result sorts slices of many types and checks them with sort and IsSorted.
func Result() string {
	a, b, c, d, e := random[int](50), random[int8](50), random[uint16](50), random[float32](50), list(random[celsius](50))
	slices.Sort(a)
	slices.Sort(b)
	slices.Sort(c)
	slices.Sort(d)
	slices.Sort(e)
	ok := slices.IsSorted(a) && slices.IsSorted(b) && slices.IsSorted(c) && slices.IsSorted(d) && slices.IsSorted(e)
	ok = ok && sort.IntsAreSorted(a)
	names := slices.Sorted(maps.Keys(map[string]bool{"b": true, "": true, "a": true}))
	slices.Sort([]int(nil))
	big := random[float64](100_000)
	start := time.Now()
	slices.Sort(big)
	return fmt.Sprintf("%v %q %v %v", ok, names, slices.IsSorted(big), time.Since(start) < time.Second)
}

// want: true ["" "a" "b"] true true
