"""`workbench sandbox build`: the image that the docker sandbox runs."""

from __future__ import annotations

import argparse

from workbench.commands.streams import say, write_line


def build(args: argparse.Namespace) -> None:
    """Build the image, with the build's lines on stderr, and print its tag."""
    from workbench.sandbox.image import build_image

    write_line(build_image(say, force=args.force))
