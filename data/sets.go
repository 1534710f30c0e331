package data

import (
	"slices"

	"overcomplete/internal/module"
)

const (
	attTerms = "free for research; credit AT&T Laboratories Cambridge"
	attCite  = `F. Samaria, A. Harter, "Parameterisation of a stochastic model for human face identification", 1994`
)

// table returns the registry, sorted by name. Sizes and checksums are those of the copies that docs/data.md
// describes.
func table() []Set {
	in := func(name string) []Member { return slices.Clone(members()[name]) }
	return []Set{
		{
			Name:  "att-faces",
			What:  "AT&T (ORL) faces: 400 gray images of 40 people, 112 x 92",
			Files: []File{attFaces(in("att-faces"))},

			License: attTerms,
			Cite:    attCite,
			Home:    "https://cam-orl.co.uk/facedatabase.html",
			Loader:  module.Package("data/faces"),
		},
		{
			Name: "cifar10",
			What: "CIFAR-10, binary version: 60,000 color images of 10 classes, 32 x 32",
			Files: []File{{
				Name: "cifar-10-binary.tar.gz",
				Size: 170_037_385,
				SHA256: []string{
					"c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd", // the official archive: 170,052,171 bytes, MD5 c32a1d4ab5d03f1284b67883e8d87530
					"5d2027bcc79aa1168fe0aac4775f951c81fc6089a92852c2a6fb185fe4f49b55", // the same members, repacked
				},
				Content: Content{Members: in("cifar10"), Folders: []string{"cifar-10-batches-bin/", ""}},
				URLs:    []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
			}},
			License: "no license stated; cite",
			Cite:    `A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009`,
			Home:    "https://www.cs.toronto.edu/~kriz/cifar.html",
			Loader:  module.Package("data/cifar"),
		},
		{
			Name:    "course-faces",
			What:    "faces of the machine-learning course: 5,000 gray images, 32 x 32 (ex7faces.mat)",
			Files:   []File{{Name: "ex7faces.mat", Limit: 128 << 20}},
			License: "no license stated",
			Cite:    `A. Ng, "Machine Learning", Coursera, exercise 7 (the pixels are of Labeled Faces in the Wild, cropped)`,
			Home:    "https://www.coursera.org/learn/machine-learning",
			Loader:  module.Package("data/faces"),
			ByHand:  "the course's exercise 7 has the file ex7faces.mat; no official address serves it by itself, and no checksum is known",
		},
		{
			Name: "ecg",
			What: "ECG of a pregnant woman: 8 skin electrodes, 2,500 samples",
			Files: []File{{
				Name:    "foetal_ecg.dat.gz",
				Also:    []string{"foetal_ecg.dat"},
				Size:    385_000, // size of foetal_ecg.dat
				SHA256:  []string{"9c4e4c19f7eb49c933c539886b092f1beca1bac028e669086ba586e2a09e5ade"},
				Content: Content{Unpacked: "9c4e4c19f7eb49c933c539886b092f1beca1bac028e669086ba586e2a09e5ade", UnpackedLimit: 4 << 20},
				URLs:    []string{"https://ftp.esat.kuleuven.be/pub/SISTA/data/biomedical/foetal_ecg.dat.gz"},
				Limit:   4 << 20,
			}},
			License: "DaISy: free for use; cite",
			Cite:    `B. De Moor (ed.), "DaISy: Database for the Identification of Systems", KU Leuven: cutaneous potential recordings of a pregnant woman`,
			Home:    "https://homes.esat.kuleuven.be/~smc/daisy/",
			Loader:  module.Package("data/ecg"),
		},
		{
			Name: "fsdd",
			What: "spoken digits (FSDD), a subset: 6 speakers, 10 digits, 2 takes, 8 kHz",
			Files: []File{{
				Name:    "fsdd-subset.tar.gz",
				Size:    635_559,
				SHA256:  []string{"6466ec8c4523c9d93335c5521292c8df66d3f6960903693840661b57be6c5c53"},
				Content: Content{Members: in("fsdd"), Folders: []string{"fsdd-subset/", "recordings/", ""}, Suffix: ".wav"},
				Limit:   256 << 20,
			}},
			License: "CC BY-SA 4.0",
			Cite:    `Z. Jackson and others, "Free Spoken Digit Dataset"`,
			Home:    "https://github.com/Jakobovski/free-spoken-digit-dataset",
			Loader:  module.Package("data/fsdd"),
			ByHand:  "clone the home page's git repository, go into its folder recordings, and pack takes 0 and 1: tar czf fsdd-subset.tar.gz *_[01].wav",
		},
		{
			Name: "letters",
			What: "OCR letters of R. Kassel, cleaned by B. Taskar: 6,877 words, 52,152 letters, 16 x 8",
			Files: []File{{
				Name:    "letter.data.gz",
				Also:    []string{"letter.data"},
				Size:    1_153_549,
				SHA256:  []string{"7f91e5f1c5356a3795e6ffd8f2bd3d7366ea221c2553f1447dc46a295f68340b"},
				Content: Content{Unpacked: "535363d0b7bc34246b1f8731719540f526b6807b12dda5d430d011d160bc7882", UnpackedLimit: 32 << 20},
				URLs:    []string{"https://ai.stanford.edu/~btaskar/ocr/letter.data.gz"},
				Limit:   32 << 20,
			}},
			License: "no license stated; credit R. Kassel, MIT",
			Cite:    `B. Taskar, C. Guestrin, D. Koller, "Max-Margin Markov Networks", NIPS 2003`,
			Home:    "https://ai.stanford.edu/~btaskar/ocr/",
			Loader:  module.Package("data/letters"),
		},
		{
			Name: "mnist",
			What: "MNIST: 70,000 handwritten digits, 28 x 28",
			Files: []File{
				mnist("train-images-idx3-ubyte.gz", 9_912_422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
					"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
				mnist("train-labels-idx1-ubyte.gz", 28_881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
					"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
				mnist("t10k-images-idx3-ubyte.gz", 1_648_877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
					"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
				mnist("t10k-labels-idx1-ubyte.gz", 4_542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
					"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
			},
			License: "no license stated; commonly listed as CC BY-SA 3.0",
			Cite:    `Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to document recognition", 1998`,
			Home:    "http://yann.lecun.com/exdb/mnist/",
			Loader:  module.Package("data/mnist"),
		},
		{
			Name: "natural",
			What: "whitened natural images of Olshausen and Field (sparsenet, 1996): 10 images, 512 x 512",
			Files: []File{{
				Name:    "sparsenet-images.tar.gz",
				Size:    9_747_090,
				SHA256:  []string{"a740a92f443bb214e61408c8e7775e8768c4a1128832878db1cb25b620a91267"},
				Content: Content{Members: in("natural"), Folders: []string{"trainset/", ""}},
				Limit:   64 << 20,
			}},
			License: "no license stated; cite",
			Cite:    `B. Olshausen, D. Field, "Emergence of simple-cell receptive field properties by learning a sparse code for natural images", Nature 381, 1996`,
			Home:    "http://www.rctn.org/bruno/sparsenet/",
			Loader:  module.Package("data/natural"),
			ByHand:  "take the folder trainset (image0 to image9) of the 1996 program sparsenet and pack it: tar czf sparsenet-images.tar.gz trainset; IMAGES.mat on the home page is another form, which is not read",
		},
		{
			Name: "olivetti",
			What: "Olivetti faces: 400 gray images of 40 people, 64 x 64 (AT&T faces, cropped)",
			Files: []File{{
				Name: "olivettifaces.mat",
				Size: 1_432_511,
				SHA256: []string{
					"b612fb967f2dc77c9c62d3e1266e0c73d5fca46a4b8906c18e454d41af987794", // the official file, as in scikit-learn's fetch_olivetti_faces
					"b1988d02c72fe5b8ee82b5ef3bb7982eafc74f1e1ff0ae0ade35061ad0af534d", // saved again with only the array faces
				},
				Content: Content{Variable: "faces", Values: "bd3df65a4201e1633851cac03c9bec71c9b91c492c93f8feca3f09ab537c9103"},
				URLs:    []string{"https://cs.nyu.edu/~roweis/data/olivettifaces.mat", "https://ndownloader.figshare.com/files/5976027"},
				Limit:   64 << 20,
			}},
			License: attTerms,
			Cite:    attCite + "; cropped by S. Roweis",
			Home:    "https://cs.nyu.edu/~roweis/data.html",
			Loader:  module.Package("data/faces"),
		},
		{
			Name: "reviews",
			What: "movie reviews with ratings (scale dataset v1.0): 5,006 reviews of 4 authors",
			Files: []File{{
				Name:    "scale_data.tar.gz",
				Size:    4_007_490,
				SHA256:  []string{"ba5bfdd26574fa1890cb261ea9efe54b72b170de27d25dc51ba6fef8308ab984"},
				Content: Content{Members: in("reviews"), Folders: []string{"scaledata/", ""}},
				URLs:    []string{"https://www.cs.cornell.edu/people/pabo/movie-review-data/scale_data.tar.gz"},
				Limit:   64 << 20,
			}},
			License: "no license stated; for research, the texts belong to their authors",
			Cite:    `B. Pang, L. Lee, "Seeing stars: Exploiting class relationships for sentiment categorization with respect to rating scales", ACL 2005`,
			Home:    "https://www.cs.cornell.edu/people/pabo/movie-review-data/",
			Loader:  module.Package("data/reviews"),
		},
	}
}

func mnist(name string, size int64, packed, unpacked string) File {
	return File{
		Name:    name,
		Also:    []string{name[:len(name)-len(".gz")]},
		Size:    size,
		SHA256:  []string{packed},
		Content: Content{Unpacked: unpacked, UnpackedLimit: 64 << 20},
		// The home page comes last because it often refuses to serve files.
		URLs: []string{"https://ossci-datasets.s3.amazonaws.com/mnist/" + name,
			"https://storage.googleapis.com/cvdf-datasets/mnist/" + name, "http://yann.lecun.com/exdb/mnist/" + name},
		Limit: 64 << 20,
	}
}

// attFaces returns the registry entry for the AT&T faces. Officially they are published as a zip and as a .Z, which is
// not supported.
func attFaces(members []Member) File {
	return File{
		Name:    "att_faces.zip",
		Also:    []string{"att_faces.tar.gz"},
		Size:    3_709_144, // size of att_faces.tar.gz
		SHA256:  []string{"33d1e8d3d27fed5d793bb3ee93c2ce6ab149024cef0bda8ed224a1ef358a0f75"},
		Content: Content{Members: members, Folders: []string{"orl_faces/", "att_faces/", ""}},
		URLs:    []string{"https://www.cl.cam.ac.uk/Research/DTG/attarchive/pub/data/att_faces.zip"},
		Limit:   64 << 20,
	}
}
