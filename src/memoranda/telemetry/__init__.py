"""Telemetry of operations for Prometheus and OpenTelemetry; no text."""
