"""`callsheet demo`: the main job on this machine, from a signed webhook to the finished check run, without GitHub."""

from app.demo.run import run_demo

__all__ = ["run_demo"]
