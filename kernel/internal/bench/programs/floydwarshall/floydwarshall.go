// Package floydwarshall finds all shortest paths of a graph.
package floydwarshall

// Shortest replaces the lengths of edges in d by the lengths of the shortest paths.
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

// Run returns the sum of all shortest paths between n nodes.
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
