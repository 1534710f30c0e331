package lecturepca

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Data: []any{(*Lab).Faces, (*Lab).Generated}, Experiments: []lab.Experiment{
		{Name: "manifold", Method: (*Lab).Manifold},
		{Name: "directions", Method: (*Lab).Directions},
		{Name: "sphering", Method: (*Lab).Sphering},
		{Name: "example", Method: (*Lab).Example},
		{Name: "noisy", Method: (*Lab).Noisy},
		{Name: "face-gallery", Method: (*Lab).FaceGallery},
		{Name: "eigenfaces", Method: (*Lab).Eigenfaces},
		{Name: "slider", Method: (*Lab).Slider},
		{Name: "reconstructions", Method: (*Lab).Reconstructions},
		{Name: "shares", Method: (*Lab).Shares},
		{Name: "denoise", Method: (*Lab).Denoise},
		{Name: "compress", Method: (*Lab).Compress},
		{Name: "speed-up", Method: (*Lab).SpeedUp, Slow: true},
		{Name: "rotation-stretch", Method: (*Lab).RotationStretch},
		{Name: "forms", Method: (*Lab).Forms},
		{Name: "identities", Method: (*Lab).Identities},
		{Name: "dual", Method: (*Lab).Dual},
		{Name: "cost", Method: (*Lab).Cost, Slow: true},
		{Name: "solvers", Method: (*Lab).Solvers},
		{Name: "eckart-young", Method: (*Lab).EckartYoung},
		{Name: "autoencoder", Method: (*Lab).Autoencoder},
		{Name: "nonlinear", Method: (*Lab).Nonlinear},
		{Name: "probabilistic", Method: (*Lab).Probabilistic},
		{Name: "regression", Method: (*Lab).Regression},
	}}
}
