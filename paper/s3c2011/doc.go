// Package s3c2011 contains the experiments of the notebook s3c: I. J. Goodfellow, A. Courville
// and Y. Bengio, Large-Scale Spike-and-Slab Sparse Coding for Unsupervised Feature
// Discovery (NIPS workshop on challenges in learning hierarchical models, 2011). S3C is short for spike-and-slab
// sparse coding, the paper's model.
//
// The first half is about the model: why its posterior is hard, how Algorithm 1 approximates the posterior,
// and what a trained model knows about patches. The second half is the pipeline behind the paper's numbers:
// features of CIFAR-10, a linear classifier, few labels, and the transfer challenge.
//
// # Data
//
// Claims about photographs are examined only on CIFAR-10. Without CIFAR-10 the same programs use generated
// images (dead leaves), and rows with a published value say NO DATA. The experiments on the model use patches
// of test images, which were not used for learning. The toy experiments use samples of models in the plane,
// with a known true posterior.
//
// Sizes differ only in the numbers of units, patches and images (lab.go). At full size the stages take hours. A
// stopped stage resumes, and the committed files in the folder trained are not computed again. The defaults of
// packages s3c and vision are the settings of the published experiment.
//
// # Files, in reading order
//
// Each experiment is a method of Lab. An experiment with helper functions has a type of its own next to its method,
// with the same name. The experiments share three types, each embedded in the next: sharedLab (the run), learner
// (what is learned from patches) and pipeline (from images to features and machines).
//
//	published.go       the paper's numbers
//	photographs.go     CIFAR-10, or its stand-in
//	lab.go             Lab, the type sharedLab, and the settings of each size
//	experiments.go     the names of the experiments
//	learning.go        the type learner, and its stages: whitening, the model, dictionaries
//	stages.go          the list of stages, and their progress
//	keys.go            the dependencies of each stage
//
// the model:
//
//	toy.go             five units in the plane: explaining away, Algorithm 1, two similar units
//	updates.go         the E step, stopped after each update
//	figure1left.go     the rise of the energy functional: figure 1 (left)
//	damping.go         without damping or clipping; conjugate gradients; guarantees
//	roperator.go       conjugate gradients without the Hessian
//	filters.go         training, filters, codes
//	scaling.go         the cost of training, by number of units
//	reconstruction.go  patches and images from their codes
//	denoising.go       denoising by S3C and by principal axes
//	samples.go         samples from the model
//	pictures.go        color images
//	exercises.go       the exercises of the notebook
//
// the pipeline:
//
//	pipeline.go        the type pipeline; the settings; from an image to features
//	features.go        its stages: features of images
//	classifying.go     its stages: support vector machines, and their options
//	alllabels.go       all labels
//	learningcurve.go   few labels: figure 1 (right)
//	transfer.go        the transfer challenge
//	otherclasses.go    a stand-in for the challenge: units from some classes, labels of others
//	skipping.go        the effect of skipping units
//
// beyond the paper:
//
//	recipes.go         the choices of expectations, updates and pools
//	choosing.go        the choice by validation, and the soft threshold for comparison
//	chosen.go          the choice with all labels, and the machine of the chosen recipe
//
// # Traps
//
// Times in the results were measured once on one machine. Times that compare methods of inference were
// measured with float64 programs. Rows about times have wide tolerances.
//
// A Lab keeps its trained model: only the first experiment that needs the model waits for the training.
package s3c2011
