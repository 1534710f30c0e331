// The two products of product.go in float32 on a device. X is a block of points, one row per point (n×d). U, V, R and G
// have width columns, a multiple of COLS, which the program defines as 16, 32, 48 or 64; the columns that are added up to
// there are 0. A work group has 128 items: item t computes the rows t/4 and 32+t/4 of a tile of TILE×COLS, and of these
// rows every fourth group of four columns.
#define TILE 64
#define DEPTH 16   // of the tiles in local memory
#define FLUSH 512  // number of products that are added up in one float32
#define FOURS (COLS/16)

#define GROUP __attribute__((reqd_work_group_size(128, 1, 1)))

// multiply adds the products of a tile of A, stored as DEPTH columns of TILE + 1, and a tile of B (DEPTH×COLS) to sum.
void multiply(__local const float* a, __local const float* b, float4 sum[2][FOURS]) {
	const int x = get_local_id(0)%4, y = get_local_id(0)/4;
	#pragma unroll
	for (int k = 0; k < DEPTH; k++) {
		const float a0 = a[k*(TILE+1)+y], a1 = a[k*(TILE+1)+32+y];
		#pragma unroll
		for (int j = 0; j < FOURS; j++) {
			const float4 v = vload4(x+4*j, b+k*COLS);
			sum[0][j] = mad((float4)a0, v, sum[0][j]);
			sum[1][j] = mad((float4)a1, v, sum[1][j]);
		}
	}
}

// copy loads rows from k0 to k0+DEPTH−1 of B, which has end rows, to local memory.
void copy(__local float* b, __global const float* B, int k0, int end, int c0, int width) {
	for (int i = get_local_id(0); i < DEPTH*COLS; i += 128) {
		const int k = k0 + i/COLS;
		b[i] = k < end ? B[(size_t)k*width + c0 + i%COLS] : 0;
	}
}

// times computes V = XU (n×d by d×width). One group per tile of V.
__kernel GROUP void times(__global const float* X, __global const float* U, __global float* V, int n, int d, int width) {
	__local float a[DEPTH*(TILE+1)], b[DEPTH*COLS];
	const int t = get_local_id(0), tiles = width/COLS;
	const int c0 = get_group_id(0)%tiles*COLS, r0 = get_group_id(0)/tiles*TILE;
	float4 sum[2][FOURS], all[2][FOURS];
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < FOURS; j++) sum[i][j] = all[i][j] = 0;
	for (int k0 = 0; k0 < d; k0 += DEPTH) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < DEPTH*TILE; i += 128) {
			const int k = i%DEPTH, r = r0 + i/DEPTH;
			a[k*(TILE+1)+i/DEPTH] = r < n && k0+k < d ? X[(size_t)r*d + k0+k] : 0;
		}
		copy(b, U, k0, d, c0, width);
		barrier(CLK_LOCAL_MEM_FENCE);
		multiply(a, b, sum);
		if ((k0+DEPTH)%FLUSH == 0 || k0+DEPTH >= d)
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < FOURS; j++) {
					all[i][j] += sum[i][j];
					sum[i][j] = 0;
				}
	}
	for (int i = 0; i < 2; i++) {
		const int r = r0 + 32*i + t/4;
		if (r < n)
			for (int j = 0; j < FOURS; j++) vstore4(all[i][j], t%4+4*j, V + (size_t)r*width + c0);
	}
}

// transposed computes G = X'R (d×n by n×width) for each part of the points: part k has the points from k×size on. size is
// a multiple of FLUSH. A sum of sums is a pair of float32 numbers, high and low, whose sum is exact up to the rounding of
// low: out is parts×2×d×width. One group per part and tile of G.
__kernel GROUP void transposed(__global const float* X, __global const float* R, __global float* out, int n, int d, int width,
	int size) {
	__local float a[DEPTH*(TILE+1)], b[DEPTH*COLS];
	const int t = get_local_id(0), tiles = width/COLS, down = (d+TILE-1)/TILE;
	const int c0 = get_group_id(0)%tiles*COLS, d0 = get_group_id(0)/tiles%down*TILE, part = get_group_id(0)/tiles/down;
	const int end = min(n, (part+1)*size);
	float4 sum[2][FOURS], high[2][FOURS], low[2][FOURS];
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < FOURS; j++) sum[i][j] = high[i][j] = low[i][j] = 0;
	for (int k0 = part*size; k0 < end; k0 += DEPTH) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < DEPTH*TILE; i += 128) {
			const int k = i/TILE, j = i%TILE;
			a[k*(TILE+1)+j] = k0+k < end && d0+j < d ? X[(size_t)(k0+k)*d + d0+j] : 0;
		}
		copy(b, R, k0, end, c0, width);
		barrier(CLK_LOCAL_MEM_FENCE);
		multiply(a, b, sum);
		if ((k0+DEPTH)%FLUSH == 0 || k0+DEPTH >= end)
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < FOURS; j++) {
					// Knuth's TwoSum: total + error is exactly high + sum.
					const float4 s = sum[i][j], h = high[i][j], total = h + s, back = total - h;
					low[i][j] += (h - (total - back)) + (s - back);
					high[i][j] = total;
					sum[i][j] = 0;
				}
	}
	for (int i = 0; i < 2; i++) {
		const int k = d0 + 32*i + t/4;
		if (k < d)
			for (int j = 0; j < FOURS; j++) {
				vstore4(high[i][j], t%4+4*j, out + ((size_t)2*part*d + k)*width + c0);
				vstore4(low[i][j], t%4+4*j, out + ((size_t)(2*part+1)*d + k)*width + c0);
			}
	}
}
