"""What the benchmarks share: reports, recorded-looking work, child processes, a disk that fails."""
