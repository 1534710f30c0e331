package main

// perCall returns rows with the cost of a call from compiled code into a cell. The cost is the time of a
// program that calls a closure many times, divided by the number of calls; the rest of the program takes little
// time.
func perCall(programs []Result) []Result {
	var list []Result
	for _, r := range programs {
		p := programNamed(r.Name)
		if p.calls == nil || r.Size == 0 {
			continue
		}
		each := func(ms float64) float64 { return ms * 1e6 / float64(p.calls(r.Size)) }
		list = append(list, Result{
			Name: "a call of a cell's closure by " + r.Name, Unit: "ns", goal: goal{most: 100},
			Cell: each(r.Cell), Go: each(r.Go), Before: each(r.Before), Fault: r.Fault,
		})
	}
	return list
}

func programNamed(name string) program {
	for _, p := range rows {
		if p.name == name {
			return p
		}
	}
	return program{}
}
