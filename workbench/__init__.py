"""Workbench: see and steer coding agents that work on video, audio, images and documents."""

__version__ = "0.1.0"
