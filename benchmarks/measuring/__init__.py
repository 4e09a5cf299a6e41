"""Shared benchmark code: reports, workloads, processes, failing disks."""
