package course

import "image"

// A Lecture is a notebook of the course.
type Lecture struct {
	Name string // of the notebook
	Week int
	// Needs lists the prerequisites. The field Then says why the lecture comes at this point.
	Needs, Then string
	// Data names the real data sets that the recorded results use; without them the lecture uses generated
	// data.
	Data []string
	// Runs is the run time at lecture size on two cores, copied from docs/teach.md.
	Runs string
	// Figure is the recorded figure that represents the lecture, Part is the part of its PNG that is shown, and Shows
	// describes the picture.
	Figure string
	Part   image.Rectangle
	Shows  string
	// Source lists the literature that the lecture follows. The field Further lists further reading. Both use the ids
	// of References.
	Source, Further []string
}

// Weeks is the length of the course in weeks.
const Weeks = 7

// Lectures lists all lectures in order.
var Lectures = []Lecture{
	{
		Name: "lecture-pca", Week: 1,
		Needs:  "vectors, matrices and eigenvalues",
		Then:   "The simplest learned representation: a few numbers in place of many, found by linear algebra alone.",
		Data:   []string{"Olivetti faces"},
		Runs:   "20 s",
		Figure: "eigenfaces", Part: image.Rect(12, 50, 344, 299), Shows: "eigenfaces",
		Source: []string{"lecture-slides"}, Further: []string{"eckart1936", "turk1991", "tipping1999"},
	},
	{
		Name: "lecture-attention", Week: 2,
		Needs:  "matrix products; gradients",
		Then:   "The other half of the same lecture: how today's models choose what to look at, shown with very small matrices.",
		Runs:   "1 min",
		Figure: "trained-heads", Part: image.Rect(0, 72, 420, 387), Shows: "the weights of a head that reverses its input",
		Source: []string{"lecture-slides"}, Further: []string{"vaswani2017"},
	},
	{
		Name: "lecture-sparse", Week: 3,
		Needs:  "eigenvalues; gradients; convexity",
		Then:   "The algorithms that the other lectures use, each built in a cell: explaining much data by few causes, from least squares to sparse autoencoders.",
		Data:   []string{"natural images of Olshausen and Field"},
		Runs:   "1 min",
		Figure: "gabors", Part: image.Rect(57, 126, 443, 415), Shows: "atoms learned from photographs, which look like edges",
		Source: []string{"tibshirani1996", "beck2009", "olshausen1996"}, Further: []string{"gregor2010", "elhage2022"},
	},
	{
		Name: "lewicki-sejnowski", Week: 4,
		Needs:  "principal components; densities and logarithms",
		Then:   "From as few directions as possible to more directions than dimensions: overcomplete representations, and why they need a prior.",
		Data:   []string{"spoken digits (FSDD)"},
		Runs:   "1 min",
		Figure: "e1-data", Part: image.Rect(962, 92, 1374, 401), Shows: "samples of three sources in two dimensions, and their three directions",
		Source: []string{"lewicki2000", "ica-post"}, Further: []string{"bell1995"},
	},
	{
		Name: "nmf-implicit", Week: 5,
		Needs:  "principal components; Lagrange multipliers",
		Then:   "Parts instead of directions, and how a solution moves when its data move.",
		Data:   []string{"Olivetti faces", "MNIST"},
		Runs:   "10 s",
		Figure: "parts", Part: image.Rect(17, 86, 440, 403), Shows: "parts of faces",
		Source: []string{"nmf-post"}, Further: []string{"lee1999", "boyd2011", "blondel2022"},
	},
	{
		Name: "i-con", Week: 5,
		Needs:  "principal components and K-means; the previous lecture",
		Then:   "The starting point of the previous lecture's post: many methods, factorization among them, minimize one loss with different neighbors.",
		Data:   []string{"MNIST"},
		Runs:   "30 s",
		Figure: "map", Part: image.Rect(0, 45, 864, 693), Shows: "60,000 digits as a map, in ten colors",
		Source: []string{"alshammari2025", "nmf-post"}, Further: []string{"maaten2008", "chen2020"},
	},
	{
		Name: "s3c", Week: 6,
		Needs:  "a prior and a posterior, as in the fourth week",
		Then:   "The causes of week 3 with probabilities: which causes are present, and how strongly.",
		Data:   []string{"CIFAR-10"},
		Runs:   "2 min",
		Figure: "filters", Part: image.Rect(16, 99, 586, 527), Shows: "filters learned from color photographs",
		Source: []string{"goodfellow2011"}, Further: []string{"goodfellow2012", "coates2011"},
	},
	{
		Name: "differentiable-sparse-coding", Week: 7,
		Needs:  "sparse codes; derivatives of solutions, as in the fifth week",
		Then:   "Sparse codes that can be differentiated and trained, and a paper whose every number is measured again.",
		Data:   []string{"MNIST", "letters", "movie reviews"},
		Runs:   "1 min",
		Figure: "jumps", Part: image.Rect(0, 88, 500, 463), Shows: "two coefficients that change places as the signal turns",
		Source: []string{"bradley2008"}, Further: []string{"lee2006", "raina2007"},
	},
}
