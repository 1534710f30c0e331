// Package nbody simulates the sun and four planets under gravity. Each body is a struct.
package nbody

import "math"

// A Body has a position, a velocity and a mass.
type Body struct {
	X, Y, Z    float64
	VX, VY, VZ float64
	Mass       float64
}

// Advance moves the bodies forward in time by dt, and updates their velocities.
func Advance(bodies []Body, dt float64) {
	for i := range bodies {
		a := &bodies[i]
		for j := i + 1; j < len(bodies); j++ {
			b := &bodies[j]
			dx, dy, dz := a.X-b.X, a.Y-b.Y, a.Z-b.Z
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			a.VX -= dx * b.Mass * mag
			a.VY -= dy * b.Mass * mag
			a.VZ -= dz * b.Mass * mag
			b.VX += dx * a.Mass * mag
			b.VY += dy * a.Mass * mag
			b.VZ += dz * a.Mass * mag
		}
	}
	for i := range bodies {
		b := &bodies[i]
		b.X += dt * b.VX
		b.Y += dt * b.VY
		b.Z += dt * b.VZ
	}
}

// Energy returns the total energy of the bodies, kinetic and potential.
func Energy(bodies []Body) float64 {
	e := 0.0
	for i, a := range bodies {
		e += 0.5 * a.Mass * (a.VX*a.VX + a.VY*a.VY + a.VZ*a.VZ)
		for _, b := range bodies[i+1:] {
			dx, dy, dz := a.X-b.X, a.Y-b.Y, a.Z-b.Z
			e -= a.Mass * b.Mass / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return e
}

// Run returns the energy after n steps.
func Run(n int) float64 {
	bodies := []Body{
		{0, 0, 0, 0, 0, 0, 39.5},
		{4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.038},
		{8.3, 4.1, -0.4, -1.0, 1.8, 0.008, 0.011},
		{12.9, -15.1, -0.2, 1.1, 0.9, -0.01, 0.0017},
		{15.4, -25.9, 0.2, 1.0, 0.6, -0.03, 0.002},
	}
	for range n {
		Advance(bodies, 0.001)
	}
	return Energy(bodies)
}
