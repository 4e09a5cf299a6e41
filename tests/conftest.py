"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A slow or busy machine is no defect of the code; speed is measured in benchmarks.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")
