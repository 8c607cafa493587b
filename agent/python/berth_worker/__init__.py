"""Runs the Python graphs of a project for Berth, which keeps everything: queue, checkpoints, store and events."""
