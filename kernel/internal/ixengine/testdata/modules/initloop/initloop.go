// Package initloop is never done with its initialisation.
package initloop

var N = count()

func count() (n int) {
	for {
		n++
	}
}
