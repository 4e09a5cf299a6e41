"""Where figures about operations go: Prometheus, OpenTelemetry. None of them is told any text."""
