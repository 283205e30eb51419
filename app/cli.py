"""The `callsheet` command: what can be asked on the command line, and which module answers.

Nothing heavy is imported before the command is known, so that `callsheet web` starts as fast as it must and `--help`
at once. Exit codes: 0 done, 1 it failed, 2 it was asked wrongly (an argument or a setting), 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """The command was asked for something impossible; the message says what would be right. Exit code 2."""


class CommandFailed(Exception):
    """The command could not do its work; the message says why and what would help. Exit code 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. `arguments` are those after the program's name (default: sys.argv)."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except UsageError as error:
        return _say(error, USAGE)
    except CommandFailed as error:
        return _say(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough (`| head`); keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _say(error: Exception, code: int) -> int:
    print(f"callsheet: {error}", file=sys.stderr)
    return code


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case "brief" | "callers" | "index":
            from app import local

            answer = {"brief": local.brief, "callers": local.callers, "index": local.index}[options.command]
            return answer(options)
        case "demo":
            from app.demo import run_demo

            return run_demo(keep=options.keep, json_file=options.json)
        case "setup":
            from app.setup import setup

            return setup(options.port)
        case "doctor":
            from app.doctor import doctor

            return doctor()
        case _:
            from app import serve

            return {"serve": serve.serve, "web": serve.web, "worker": serve.worker}[options.command]()


class _Version(argparse.Action):
    """`--version`: prints the installed release and ends."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the installed release")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version  # slow to import, and seldom asked

        try:
            release = version("callsheet")
        except PackageNotFoundError:
            release = "not installed"
        print(f"callsheet {release}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="callsheet",
        description="Tells reviewers who, outside a pull request's diff, depends on what it changes.",
        epilog="Settings come from environment variables: docs/configuration.md lists them.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    setup = commands.add_parser("setup", help="register the GitHub App with a page on this machine, and keep its keys")
    setup.add_argument("--port", metavar="N", type=_port, default=0, help="port of the page (default: any free one)")
    commands.add_parser("doctor", help="check credentials, permissions, clock, Redis, git, disk and network")
    commands.add_parser("serve", help="receive webhooks and brief: receiver, worker and (without REDIS_URL) Redis")
    commands.add_parser("web", help="only receive webhooks (needs REDIS_URL)")
    commands.add_parser("worker", help="only make and post briefings (needs REDIS_URL)")

    brief = commands.add_parser("brief", help="print the briefing of a change in a local repository")
    _repository(brief)
    brief.add_argument("--base", metavar="REV", required=True, help="what the change is made against")
    brief.add_argument("--head", metavar="REV", required=True, help="the change's last commit (diff: BASE...HEAD)")
    brief.add_argument("--merge", metavar="REV", help="find callers in this merge of the two (default: in the head)")
    brief.add_argument("--format", choices=("md", "text", "json"), default="text", help="default: text")
    _reading(brief)

    callers = commands.add_parser("callers", help="print who calls what is defined at given lines")
    _repository(callers)
    callers.add_argument("--rev", metavar="REV", default="HEAD", help="the tree to look in (default: HEAD)")
    callers.add_argument("places", nargs="*", metavar="FILE:LINE", help="the line of a definition's name")
    callers.add_argument("--symbols", metavar="FILE.json", help='{"symbols": [{"file", "line"}]}; - for standard input')
    callers.add_argument("--format", choices=("json", "text"), default="json", help="default: json")
    _reading(callers)

    index = commands.add_parser("index", help="read all files ahead, so that later briefings find them in the cache")
    _repository(index)
    index.add_argument("--rev", metavar="REV", default="HEAD", help="the tree to read (default: HEAD)")
    index.add_argument(
        "--jobs", metavar="N", type=_jobs, default=os.cpu_count() or 1, help="processes (default: cores)"
    )
    index.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    _cache(index)

    demo = commands.add_parser("demo", help="show the main job on this machine, with a stand-in for GitHub")
    demo.add_argument("--keep", action="store_true", help="stay and serve the check run's page until Ctrl-C")
    demo.add_argument("--json", metavar="FILE", type=Path, help="also write the check run, as GitHub's API gives it")
    return parser


def _repository(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", metavar="DIR", type=Path, default=Path(), help="a git repository (default: here)")


def _reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--exhaustive", action="store_true", help="read every file, not only those that can matter")
    parser.add_argument("--stats", metavar="FILE", type=Path, help="write what it took, as JSON (default: stderr)")
    _cache(parser)


def _cache(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--cache", metavar="DIR", type=Path, help="facts cache (default: ~/.cache/callsheet/facts)")
    where.add_argument("--no-cache", action="store_true", help="neither read nor write the facts cache")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port, 0 to 65535")
    return int(text)


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError("a number of processes, 1 to 256")
    return int(text)


if __name__ == "__main__":
    # The commands raise the errors of this module by its own name, not of its copy that is run.
    from app.cli import main as callsheet

    sys.exit(callsheet())
