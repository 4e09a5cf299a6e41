"""Supervision: tasks that need attention, their metrics and interventions."""
