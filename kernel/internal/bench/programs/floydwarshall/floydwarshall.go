// Package floydwarshall finds the lengths of the shortest paths between all pairs of nodes of a graph.
package floydwarshall

// Shortest replaces each d[i][j], the length of the edge from node i to node j, by the length of the shortest path
// from i to j.
func Shortest(d [][]float64) {
	for k := range d {
		for i := range d {
			for j := range d {
				if through := d[i][k] + d[k][j]; through < d[i][j] {
					d[i][j] = through
				}
			}
		}
	}
}

// Run returns the sum of the lengths of the shortest paths between all pairs of n nodes.
func Run(n int) float64 {
	d := make([][]float64, n)
	for i := range d {
		d[i] = make([]float64, n)
		for j := range d[i] {
			d[i][j] = float64((i*131+j*71)%997 + 1)
		}
		d[i][i] = 0
	}
	Shortest(d)
	total := 0.0
	for i := range d {
		for _, length := range d[i] {
			total += length
		}
	}
	return total
}
