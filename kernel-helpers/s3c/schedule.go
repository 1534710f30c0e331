package s3c

import "fmt"

// A Schedule specifies the damping of Algorithm 1's updates.
type Schedule struct {
	// H and S hold the η for ĥ and for ŝ of each update, in (0, 1]. They have the same length.
	H, S []float64
	// Rho is ρ, 0 or more: a slab that changes its sign is clipped to ρ times its old size.
	Rho float64
}

// DefaultSchedule returns the schedule of the published CIFAR-10 result: 19 updates.
func DefaultSchedule() Schedule {
	s := Schedule{Rho: 0.5}
	for _, run := range []struct {
		eta   float64
		times int
	}{{0.1, 8}, {0.2, 3}, {0.3, 3}, {0.4, 5}} {
		for range run.times {
			s.H = append(s.H, run.eta)
			s.S = append(s.S, 0.1)
		}
	}
	s.S[0] = 0.7
	return s
}

// check returns the schedule, or the default if the schedule is empty. It returns an error if the schedule is invalid.
func (s Schedule) check() (Schedule, error) {
	if len(s.H) == 0 && len(s.S) == 0 {
		if s.Rho != 0 {
			return s, fmt.Errorf("s3c: the schedule has Rho %v and no updates", s.Rho)
		}
		return DefaultSchedule(), nil
	}
	if len(s.H) != len(s.S) {
		panic(fmt.Sprintf("s3c: the schedule has %d updates of h and %d of s", len(s.H), len(s.S)))
	}
	for k := range s.H {
		if !(s.H[k] > 0 && s.H[k] <= 1 && s.S[k] > 0 && s.S[k] <= 1) {
			return s, fmt.Errorf("s3c: update %d has η %v for h and %v for s, must be in (0, 1]", k, s.H[k], s.S[k])
		}
	}
	if !(s.Rho >= 0) || s.Rho-s.Rho != 0 {
		return s, fmt.Errorf("s3c: Rho is %v, must be finite and not negative", s.Rho)
	}
	return s, nil
}
