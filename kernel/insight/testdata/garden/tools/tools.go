// Package spade has another name than its folder.
package spade

// Edge is how sharp it is.
const Edge = 0.5
