# With heapq, whose heap is written in C.
from heapq import heappop, heappush


def run(n):
    cost = []
    seed = 1
    for _ in range(n * n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        cost.append((seed >> 16) % 9 + 1)
    distance = [1 << 60] * (n * n)
    distance[0] = 0
    h = [(0, 0)]
    while h:
        length, cell = heappop(h)
        if length > distance[cell]:
            continue
        y, x = divmod(cell, n)
        for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            u, v = x + dx, y + dy
            if u < 0 or u >= n or v < 0 or v >= n:
                continue
            to = v * n + u
            d = length + cost[to]
            if d < distance[to]:
                distance[to] = d
                heappush(h, (d, to))
    total = 0
    for d in distance:
        total += d
    return total
