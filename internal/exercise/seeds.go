package exercise

import "math/rand/v2"

// Tries is how many cases a function is tried on. An answer that forgets one of two ways passes one time in 32.
const Tries = 6

// Seeds returns the seeds of an exercise's cases. Those of stream 0 are what a notebook tries; a grader has
// a stream of its own, so that an answer that knows the first ones is found out.
func Seeds(name string, stream uint64) []uint64 {
	mixed := stream
	for _, b := range []byte(name) {
		mixed = mixed*0x100000001b3 + uint64(b) // each name has numbers of its own
	}
	rng := rand.New(rand.NewPCG(stream, mixed))
	seeds := make([]uint64, Tries)
	for i := range seeds {
		seeds[i] = uint64(rng.Uint32()) // short enough to be told
	}
	return seeds
}
