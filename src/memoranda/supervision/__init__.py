"""Supervision: tasks that need attention, and what is known of them."""
