package lectureattention

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Experiments: []lab.Experiment{
		{Name: "word-order", Method: (*Lab).WordOrder},
		{Name: "encodings", Method: (*Lab).Encodings},
		{Name: "heads", Method: (*Lab).Heads},
		{Name: "linearity", Method: (*Lab).Linearity},
		{Name: "future", Method: (*Lab).Future},
		{Name: "cheating", Method: (*Lab).Cheating, Slow: true},
		{Name: "trained-heads", Method: (*Lab).TrainedHeads},
		{Name: "normalisation", Method: (*Lab).Normalisation},
		{Name: "scale-shift", Method: (*Lab).ScaleShift},
		{Name: "vanishing", Method: (*Lab).Vanishing},
		{Name: "cost", Method: (*Lab).Cost},
		{Name: "encoder-decoder", Method: (*Lab).EncoderDecoder, Slow: true},
		{Name: "long-range", Method: (*Lab).LongRange, Slow: true},
		{Name: "ablation", Method: (*Lab).Ablation, Slow: true},
	}}
}
