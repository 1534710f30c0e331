// Package jsons encodes structs as JSON and decodes them.
package jsons

import (
	"encoding/json"
	"fmt"
)

type sample struct {
	Name   string    `json:"name"`
	ID     int       `json:"id"`
	Valid  bool      `json:"valid"`
	Values []float64 `json:"values"`
}

// Run encodes and decodes n structs, and returns the length of the text plus a checksum of what was decoded.
func Run(n int) float64 {
	samples := make([]sample, n)
	for i := range samples {
		x := float64(i%1000) + 0.5
		samples[i] = sample{fmt.Sprintf("sample %d", i), i, i%3 == 0, []float64{x, 0.25 * x, -x}}
	}
	text, err := json.Marshal(samples)
	if err != nil {
		panic(err)
	}
	var decoded []sample
	if err := json.Unmarshal(text, &decoded); err != nil {
		panic(err)
	}
	sum := float64(len(text))
	for _, s := range decoded {
		if s.Valid {
			sum += float64(s.ID%10) * s.Values[1]
		}
		sum += float64(len(s.Name))
	}
	return sum
}
