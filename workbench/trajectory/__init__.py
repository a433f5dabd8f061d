"""Trajectories as other tools know them: reading, converting, checking and writing."""
