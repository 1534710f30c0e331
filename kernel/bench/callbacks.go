package main

// perCall returns, for each program that mostly calls a closure of the cell from compiled code, a row with the time of
// one call. This is the program's time divided by the number of calls.
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
