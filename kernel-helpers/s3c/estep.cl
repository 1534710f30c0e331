// Algorithm 1 in float32 on a device: the sums of block.go, in another order.
//
// Matrices have one column per patch: V and R are D×B, H and S are N×B. B is a multiple of PATCHES, N of UNITS, and D of
// DIMS; what is added up to there is 0. √β is multiplied into W and V. A work group has 128 items, as 16 rows by 8
// columns: an item computes 8 columns (4, and 4 others 32 further) of several rows.
//
// ROWS, DIMS/16, is defined by the program.
#define PATCHES 64
#define UNITS 128
#define DIMS (16*ROWS)
#define DEPTH 16 // of the tiles in local memory

#define GROUP __attribute__((reqd_work_group_size(128, 1, 1)))

// load transposes the patches X (n×d) to V = √β X' (D×B). One item per number of V.
__kernel GROUP void load(__global const float* X, __global const float* root, __global float* V, int n, int d, int B) {
	const size_t at = get_global_id(0);
	const int k = at / B, b = at % B;
	V[at] = k < d && b < n ? root[k]*X[(size_t)b*d+k] : 0;
}

// begin sets H and S (N×B) to the prior, σ(b) and μ: start is 2×N. One item per number.
__kernel GROUP void begin(__global const float* start, __global float* H, __global float* S, int N, int B) {
	const size_t at = get_global_id(0);
	H[at] = start[at/B];
	S[at] = start[N + at/B];
}

// residual computes R = V − W(H∘S) (D×N by N×B); here W is N×D. One group per tile of DIMS×PATCHES.
__kernel GROUP void residual(__global const float* V, __global const float* W, __global const float* H, __global const float* S,
	__global float* R, int N, int D, int B) {
	__local float w[DEPTH*DIMS], m[DEPTH*PATCHES];
	const int t = get_local_id(0), x = t%8, y = t/8, tiles = D/DIMS;
	const int d0 = get_group_id(0)%tiles*DIMS;
	const size_t b0 = (size_t)(get_group_id(0)/tiles)*PATCHES;
	float4 sum[ROWS][2];
	#pragma unroll
	for (int i = 0; i < ROWS; i++) sum[i][0] = sum[i][1] = 0;
	for (int n0 = 0; n0 < N; n0 += DEPTH) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < DEPTH*DIMS/4; i += 128) {
			const int row = i/(DIMS/4), col = i%(DIMS/4);
			vstore4(vload4(col, W + (size_t)(n0+row)*D + d0), i, w);
		}
		for (int i = t; i < DEPTH*PATCHES/4; i += 128) {
			const int row = i/(PATCHES/4), col = i%(PATCHES/4);
			const size_t at = (size_t)(n0+row)*B + b0;
			vstore4(vload4(col, H+at)*vload4(col, S+at), i, m);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			const float4 m0 = vload4(x, m+k*PATCHES), m1 = vload4(8+x, m+k*PATCHES);
			#pragma unroll
			for (int i = 0; i < ROWS; i++) {
				const float4 u = w[k*DIMS+y*ROWS+i];
				sum[i][0] = mad(u, m0, sum[i][0]);
				sum[i][1] = mad(u, m1, sum[i][1]);
			}
		}
	}
	#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		const size_t at = (size_t)(d0+y*ROWS+i)*B + b0;
		vstore4(vload4(x, V+at) - sum[i][0], x, R+at);
		vstore4(vload4(8+x, V+at) - sum[i][1], 8+x, R+at);
	}
}

// correlate computes the item's part of P = W'R (N×D by D×B); here W is D×N. Rows 4y to 4y+3 and 64+4y to 64+4y+3 of
// the tile at n0, b0.
void correlate(__global const float* W, __global const float* R, __local float* w, __local float* r, int n0, size_t b0, int N, int D,
	int B, float4 p[8][2]) {
	const int t = get_local_id(0), x = t%8, y = t/8;
	#pragma unroll
	for (int i = 0; i < 8; i++) p[i][0] = p[i][1] = 0;
	for (int d0 = 0; d0 < D; d0 += DEPTH) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < DEPTH*UNITS/4; i += 128) {
			const int row = i/(UNITS/4), col = i%(UNITS/4);
			vstore4(vload4(col, W + (size_t)(d0+row)*N + n0), i, w);
		}
		for (int i = t; i < DEPTH*PATCHES/4; i += 128) {
			const int row = i/(PATCHES/4), col = i%(PATCHES/4);
			vstore4(vload4(col, R + (size_t)(d0+row)*B + b0), i, r);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			const float4 r0 = vload4(x, r+k*PATCHES), r1 = vload4(8+x, r+k*PATCHES);
			const float4 a = vload4(y, w+k*UNITS), b = vload4(16+y, w+k*UNITS);
			const float u[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
			#pragma unroll
			for (int i = 0; i < 8; i++) {
				p[i][0] = mad((float4)u[i], r0, p[i][0]);
				p[i][1] = mad((float4)u[i], r1, p[i][1]);
			}
		}
	}
}

// EACH runs the statement for the 8 rows and 2 times 4 columns of an item: a points to the parameters of unit i (see
// vector.go), at is the place in H and S, and p is W_i'β(v − W(ĥ∘ŝ)).
#define EACH(statement) \
	for (int k = 0; k < 8; k++) { \
		const int i = n0 + k/4*64 + 4*(get_local_id(0)/8) + k%4; \
		__global const float* a = param + 8*i; \
		for (int half_ = 0; half_ < 2; half_++) { \
			const size_t at = (size_t)i*B + b0 + 32*half_ + 4*(get_local_id(0)%8); \
			const float4 h = vload4(0, H+at), s = vload4(0, S+at), p = sums[k][half_]; \
			statement \
		} \
	}

#define TILE \
	__local float w[DEPTH*UNITS], r[DEPTH*PATCHES]; \
	float4 sums[8][2]; \
	const int n0 = get_group_id(0)%(N/UNITS)*UNITS; \
	const size_t b0 = (size_t)(get_group_id(0)/(N/UNITS))*PATCHES; \
	correlate(W, R, w, r, n0, b0, N, D, B, sums);

// slab: s* = (αμ + p + w h s)/γ, clipped; s <- η s* + (1−η) s. One group per tile of UNITS×PATCHES.
__kernel GROUP void slab(__global const float* W, __global const float* R, __global const float* param, __global const float* H,
	__global float* S, float eta, float rho, int N, int D, int B) {
	TILE
	EACH(
		float4 best = (a[0] + (p + a[1]*(h*s)))*a[2];
		const float4 limit = -rho*s;
		best = select(best, limit, ((s > 0.f) & (best < limit)) | ((s < 0.f) & (best > limit)));
		vstore4(eta*best + (1-eta)*s, 0, S+at);
	)
}

// spike: h* = σ(s (p + αμ + w h s − ½γ s) + constant); h <- η h* + (1−η) h. One group per tile of UNITS×PATCHES.
__kernel GROUP void spike(__global const float* W, __global const float* R, __global const float* param, __global float* H,
	__global const float* S, float eta, int N, int D, int B) {
	TILE
	EACH(
		const float4 q = p + a[0] + a[1]*(h*s) - a[3]*s;
		vstore4(eta/(1 + exp(-(q*s + a[4]))) + (1-eta)*h, 0, H+at);
	)
}

// store transposes X (N×B) to out (n×units). One item per number, and more.
__kernel GROUP void store(__global const float* X, __global float* out, int n, int units, int B) {
	const size_t at = get_global_id(0);
	if (at < (size_t)n*units) out[at] = X[(size_t)(at%units)*B + at/units];
}

// pool adds up the columns of X (N×B) in each run of columns: out is runs×units. Run k has the columns from start[k] to
// start[k+1]−1; start has float32 numbers, which are exact up to 2^24. One item per number, and more.
__kernel GROUP void pool(__global const float* X, __global const float* start, __global float* out, int runs, int units, int B) {
	const size_t at = get_global_id(0);
	if (at >= (size_t)runs*units) return;
	const int run = at % runs, end = start[run+1];
	const size_t i = at / runs;
	float sum = 0;
	for (int j = start[run]; j < end; j++) sum += X[i*B+j];
	out[(size_t)run*units + i] = sum;
}

// The sums over patches for training are made for each PART patches, so that few float32 numbers are added up in a row.
// Patches from n on do not count.
#define PART 1024

// outer computes R(H∘S)' (D×B by B×N) of each part: out is parts×D×N. One group per part and tile of DIMS×64.
__kernel GROUP void outer(__global const float* R, __global const float* H, __global const float* S, __global float* out,
	int n, int N, int D, int B) {
	__local float r[DEPTH*DIMS], m[DEPTH*64];
	const int t = get_local_id(0), x = t%8, y = t/8, g = get_group_id(0)/(N/64);
	const int n0 = get_group_id(0)%(N/64)*64, d0 = g%(D/DIMS)*DIMS, part = g/(D/DIMS);
	const int end = min(n, (part+1)*PART);
	float4 sum[ROWS][2];
	#pragma unroll
	for (int i = 0; i < ROWS; i++) sum[i][0] = sum[i][1] = 0;
	for (int b0 = part*PART; b0 < end; b0 += DEPTH) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < DEPTH*DIMS; i += 128) {
			const int row = i/DEPTH, k = i%DEPTH;
			r[k*DIMS+row] = R[(size_t)(d0+row)*B + b0+k];
		}
		for (int i = t; i < DEPTH*64; i += 128) {
			const int row = i/DEPTH, k = i%DEPTH;
			const size_t at = (size_t)(n0+row)*B + b0+k;
			m[k*64+row] = b0+k < end ? H[at]*S[at] : 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			const float4 m0 = vload4(x, m+k*64), m1 = vload4(8+x, m+k*64);
			#pragma unroll
			for (int i = 0; i < ROWS; i++) {
				const float4 u = r[k*DIMS+y*ROWS+i];
				sum[i][0] = mad(u, m0, sum[i][0]);
				sum[i][1] = mad(u, m1, sum[i][1]);
			}
		}
	}
	#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		const size_t at = ((size_t)part*D + d0+y*ROWS+i)*N + n0;
		vstore4(sum[i][0], x, out+at);
		vstore4(sum[i][1], 8+x, out+at);
	}
}

// total adds up what the items of a group have: x[128*q] becomes the sum of x[128*q] to x[128*q+127], for q < count.
void total(__local float* x, int count) {
	const int t = get_local_id(0);
	for (int step = 64; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < step)
			for (int q = 0; q < count; q++) x[128*q+t] += x[128*q+t+step];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

// sums computes of each unit Σ h, Σ hs, Σ hs², Σ hs²(1−h) and the entropy of h: out is parts×5×N. One group per part and
// unit.
__kernel GROUP void sums(__global const float* H, __global const float* S, __global float* out, int n, int N, int B) {
	__local float x[5*128];
	const int t = get_local_id(0), i = get_group_id(0)%N, part = get_group_id(0)/N, end = min(n, (part+1)*PART);
	float a = 0, b = 0, c = 0, d = 0, e = 0;
	for (int j = part*PART+t; j < end; j += 128) {
		const float h = H[(size_t)i*B+j], s = S[(size_t)i*B+j], hs = h*s;
		a += h;
		b += hs;
		c += hs*s;
		d += hs*s*(1-h);
		if (h > 0) e -= h*log(h); // 0 log 0 is 0
		if (h < 1) e -= (1-h)*log(1-h);
	}
	x[t] = a; x[128+t] = b; x[256+t] = c; x[384+t] = d; x[512+t] = e;
	total(x, 5);
	if (t < 5) out[((size_t)part*5+t)*N+i] = x[128*t];
}

// squares computes Σ r² of each dimension: out is parts×D. One group per part and dimension.
__kernel GROUP void squares(__global const float* R, __global float* out, int n, int D, int B) {
	__local float x[128];
	const int t = get_local_id(0), k = get_group_id(0)%D, part = get_group_id(0)/D, end = min(n, (part+1)*PART);
	float a = 0;
	for (int j = part*PART+t; j < end; j += 128) {
		const float r = R[(size_t)k*B+j];
		a += r*r;
	}
	x[t] = a;
	total(x, 1);
	if (t == 0) out[(size_t)part*D+k] = x[0];
}
