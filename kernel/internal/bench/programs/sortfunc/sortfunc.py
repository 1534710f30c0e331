from functools import cmp_to_key


def run(n):
    numbers = []
    seed = 1
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        numbers.append(seed)
    middle = 1 << 30

    def distance(x):
        return max(2 * (x - middle), 2 * (middle - x) + 1)

    def compare(a, b):
        return distance(a) - distance(b)

    numbers.sort(key=cmp_to_key(compare))
    total = 0
    for i, x in enumerate(numbers):
        total += i * (x % 1009) % 1009
    return total
