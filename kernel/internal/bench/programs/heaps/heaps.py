import heapq


def run(n):
    h = []
    seed = 1
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        heapq.heappush(h, seed)
    total = 0
    for i in range(n):
        total += i * (heapq.heappop(h) % 1009) % 1009
    return total
