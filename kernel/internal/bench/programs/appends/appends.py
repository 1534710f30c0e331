def run(n):
    numbers = []
    for i in range(n):
        numbers.append(i ^ 5)
    total = 0
    for x in numbers:
        total += x
    return total
