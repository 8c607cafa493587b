"""Runs the Python graphs of a project for Berth, which keeps queue, checkpoints, store and events."""
