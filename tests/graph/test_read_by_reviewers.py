"""What reviewers of merged pull requests found wrong in their briefings."""

from __future__ import annotations

import pytest

from graph.render.view import arranged
from tests.graph.stories import Repo

# ------------------------------------------------------------------------------------------------- functions in others


def test_a_decorator_has_its_own_wrapper_for_a_caller(repo: Repo) -> None:
    deco = """
        def timed(limit):
            def decorator(function):
                function.limit = limit
                return function

            timed.last = decorator
            return decorator
        """
    repo.commit({"deco.py": deco, "use.py": "from deco import timed\n\n\n@timed(3)  # CALLER\ndef f(): ...\n"})
    repo.commit({"deco.py": deco.replace("= limit", "= limit + 1")})
    brief = repo.brief()
    assert brief.callers("timed") == repo.marked()
    assert brief.callers("timed.decorator") == []
    assert [each.symbol.qualified for each in arranged(brief.briefing).silent] == []


def test_a_call_of_an_inner_function_that_no_longer_fits_is_not_told(repo: Repo) -> None:
    outer = """
        def outer():
            def inner(a):
                return a
            handler = inner
            return inner(1)
        """
    repo.commit({"outer.py": outer}).commit({"outer.py": outer.replace("inner(a)", "inner(a, b)")})
    assert repo.brief().fits("outer.inner") == {"outer.py:5": False}


# ------------------------------------------------------------------------------------------------ getters and setters


SCOPE = """
    class Scope:
        @property
        def span(self):
            return self._span

        @span.setter
        def span(self, value):
            self._span = value
    """
SCOPE_USE = """
    from scope import Scope


    def read(scope: Scope):
        return scope.span is not None  # CALLER:get


    def write(scope: Scope):
        scope.span = 1  # CALLER:set
    """


@pytest.mark.parametrize(
    ("old", "new", "tag"),
    [
        ("self._span = value", "self._span = value or None", "set"),
        ("return self._span", "return self._span or 1", "get"),
    ],
)
def test_who_reads_a_property_depends_on_its_setter(repo: Repo, old: str, new: str, tag: str) -> None:
    repo.commit({"scope.py": SCOPE, "use.py": SCOPE_USE}).commit({"scope.py": SCOPE.replace(old, new)})
    assert repo.brief().callers("Scope.span") == repo.marked(tag)


def test_the_name_of_a_setters_parameter_matters_to_who_writes_the_property(repo: Repo) -> None:
    renamed = SCOPE.replace("self, value", "self, name").replace("= value", "= name")
    repo.commit({"scope.py": SCOPE, "use.py": SCOPE_USE}).commit({"scope.py": renamed})
    assert repo.brief().symbol("Scope.span").compatible is True


def test_a_getter_and_a_setter_in_typescript_are_one(repo: Repo) -> None:
    scope = "export class Scope {\n  get span() { return 1; }\n  set span(v) { this.x = v; }\n}\n"
    use = """
        import { Scope } from './scope';

        export const read = (s: Scope) => s.span;
        export const write = (s: Scope) => { s.span = 1; }; // CALLER
        """
    repo.commit({"scope.ts": scope, "use.ts": use}).commit({"scope.ts": scope.replace("= v;", "= v + 1;")})
    assert repo.brief().callers("Scope.span") == repo.marked()


# -------------------------------------------------------------------------------------------------- by name match only


def test_a_name_only_call_that_fits_is_not_judged(repo: Repo) -> None:
    serializer = "class Serializer:\n    def is_valid(self, strict=False):\n        return True\n"
    use = """
        def create(serializer):
            serializer.is_valid(strict=True)
            serializer.is_valid()
            serializer.is_valid(True)
        """
    repo.commit({"s.py": serializer, "use.py": use}).commit({"s.py": serializer.replace("self, s", "self, *, s")})
    brief = repo.brief()
    assert brief.fits("Serializer.is_valid") == {"use.py:2": True, "use.py:3": True, "use.py:4": None}
    assert arranged(brief.briefing).unjudged == 0  # it may be somebody else's method


def test_an_attribute_of_the_same_name_is_a_method(repo: Repo) -> None:
    repo.commit(
        {
            "repo.py": """
                class Repository:
                    def package(self, name):  # TARGET
                        return name
                """,
            "use.py": """
                from repo import Repository


                def untyped(app):
                    print(app.package.name)
                    app.package["a"] = 1
                    if app.package is not None:
                        return app.package == 1
                    app.package.assert_called_once()  # MAYBE
                    return app.package("a")  # MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_name_that_objects_assign_is_read_as_a_method(repo: Repo) -> None:
    repo.commit(
        {
            "encoder.py": "class Encoder:\n    def default(self, value):  # TARGET\n        return value\n",
            "field.py": "class Field:\n    def __init__(self, default=None):\n        self.default = default\n",
            "use.py": """
                from encoder import Encoder


                def show(field, other):
                    value = field.default
                    print(field.default)  # MAYBE
                    return other.default(1)  # MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_the_method_of_an_unrelated_class_with_an_unknown_base_counts(repo: Repo) -> None:
    repo.commit(
        {
            "serializer.py": "class Serializer:\n    def fields_of(self):  # TARGET\n        return []\n",
            "use.py": """
                from elsewhere import ModelAdmin
                from serializer import Serializer


                class TokenAdmin(ModelAdmin):
                    def get(self):
                        return self.fields_of()  # MAYBE


                class View(ModelAdmin): ...


                class Both(Serializer, View): ...


                def show(admin: TokenAdmin, view: View, serializer: Serializer):
                    admin.fields_of()
                    view.fields_of()  # MAYBE
                    return serializer.fields_of()  # CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------- what is gone from a class with an unknown base


def test_a_removed_method_of_a_class_with_an_unknown_base_is_missed_by_nobody(repo: Repo) -> None:
    store = """
        from vendor import Base


        class Store(Base):
            limit = 3

            def list_remotely(self):
                return []

            def save(self):
                return super().save()

            def close_all(self):
                return 1
        """
    gone = "\n".join(store.split("\n")[:5]) + "\n            x = 1\n"
    other = "class Other:\n    def close_all(self): ...\n"
    use = """
        from store import Store


        def run(store: Store):
            store.list_remotely()  # MAYBE:list
            store.save()
            store.close_all()
            return store.limit  # MAYBE:limit
        """
    repo.commit({"store.py": store, "use.py": use, "other.py": other}).commit({"store.py": gone})
    brief = repo.brief()
    assert brief.callers("Store.list_remotely") == repo.marked("list")
    assert brief.callers("Store.limit") == repo.marked("limit")
    assert brief.callers("Store.save") == []  # it asked for what is above it, so that is there
    assert brief.callers("Store.close_all") == []  # others have that name, too


def test_what_an_embedded_type_from_outside_may_have_is_missed_by_nobody(repo: Repo) -> None:
    disk = """
        package st

        import "example.com/vendor/base"

        type Disk struct {
        \tbase.Store
        }

        func (d *Disk) ListRemotely() int { return 1 }
        func (d *Disk) check() int { return 1 }
        func (d *Disk) Run() int { return d.x }
        """
    use = """
        package use

        import "ex.com/m/st"

        func Use(d *st.Disk) { d.ListRemotely() } // MAYBE:exported
        """
    inside = "package st\n\nfunc in(d *Disk) int { return d.check() } // CALLER:hidden\n"
    gone = "\n".join(line for line in disk.split("\n") if "ListRemotely" not in line and "check" not in line)
    repo.commit({"go.mod": "module ex.com/m\n", "st/st.go": disk, "st/in.go": inside, "use/use.go": use})
    repo.commit({"st/st.go": gone})
    brief = repo.brief()
    assert brief.callers("Disk.ListRemotely") == repo.marked("exported")
    assert brief.callers("Disk.check") == repo.marked("hidden")


# ------------------------------------------------------------------------------------------------------ what is shown


def test_a_signature_of_which_the_decorator_changed_is_shown_as_it_was(repo: Repo) -> None:
    manager = "class Manager:\n    @property\n    def ready(self) -> bool:\n        return True\n"
    repo.commit({"m.py": manager}).commit({"m.py": manager.replace("@property", "@lib.kept")})
    symbol = repo.brief().symbol("Manager.ready")
    assert (symbol.before, symbol.after) == (
        "@property\ndef ready(self) -> bool",
        "@lib.kept\ndef ready(self) -> bool",
    )


def test_classes_are_not_asked_for_a_method_more(repo: Repo) -> None:
    base = """
        export abstract class Base {
          run() { return 1; }
        }
        export interface Runner {
          run(): number;
        }
        """
    more = base.replace("  run() {", "  abstract stop(): void;\n          run() {")
    more = more.replace("  run(): number;", "  run(): number;\n          halt(): void;\n          later?(): void;")
    use = """
        import { Outer } from 'elsewhere';
        import { Base, Runner } from './base';

        export class Lacks extends Base {} // CALLER:stop
        export class Has extends Base { stop() {} }
        export abstract class Later extends Base {}
        export class R implements Runner { run() { return 1; } } // CALLER:halt
        export class Field implements Runner { run() { return 1; } halt = () => {}; }
        export class Open extends Outer implements Runner { run() { return 1; } }
        """
    repo.commit({"base.ts": base, "use.ts": use}).commit({"base.ts": more})
    brief = repo.brief()
    assert brief.callers("Base.stop") == repo.marked("stop")
    assert brief.callers("Runner.halt") == repo.marked("halt")
    assert brief.fits("Runner.halt") == {"use.ts:7": False}
    assert brief.callers("Runner.later") == []


# ---------------------------------------------------------------------------------------- what a second reading found


def test_a_method_that_is_bound_to_its_instance_is_an_attribute(repo: Repo) -> None:
    repo.commit(
        {
            "ctrl.js": """
                export class Ctrl {
                  constructor() { this.saveDraft = this.saveDraft.bind(this); }
                  saveDraft(a) {} // TARGET
                }
                """,
            "use.js": """
                import { Ctrl } from './ctrl';

                export const one = (c, xs) => xs.map(c.saveDraft); // MAYBE
                export function two(c) {
                  const save = c.saveDraft; // MAYBE
                  return c.saveDraft.call(c, 1); // MAYBE
                }
                """,
        }
    )
    assert [each for each in repo.callers() if each.startswith("use")] == repo.marked()


def test_an_implementation_still_gives_all_that_its_interface_promises(repo: Repo) -> None:
    before = "export interface Loader { load(): { a: number } }\n"
    use = """
        import { Loader } from './loader';

        export class T implements Loader { load() { return { a: 1 }; } }
        export const read = (l: Loader) => l.load().a;
        """
    repo.commit({"loader.ts": before, "use.ts": use}).commit(
        {"loader.ts": before.replace("a: number", "a: number; b: 1")}
    )
    brief = repo.brief()
    assert brief.symbol("Loader.load").compatible is True
    assert brief.fits("Loader.load") == {"use.ts:3": None, "use.ts:4": None}


def test_sixty_objects_that_hold_a_function_hide_its_alias(repo: Repo) -> None:
    holders = "".join(f"export const o{number} = {{ P{number}: calcAll }};\n" for number in range(60))
    repo.commit(
        {
            "calc.ts": "export function calcAll(a: number) { return a; } // TARGET\n",
            "hold.ts": "import { calcAll } from './calc';\n" + holders,
            "alias.ts": "import { calcAll } from './calc';\nexport const renamedCalc = calcAll; // CALLER\n",
            "use.ts": "import { renamedCalc } from './alias';\nrenamedCalc(1); // CALLER\n",
        }
    )
    assert [each for each in repo.callers() if not each.startswith("hold")] == repo.marked()


def test_what_is_taken_out_of_a_property_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "parts.tsx": "export const MenuItem = (p: {}) => null; // TARGET\nexport const Other = (p: {}) => null;\n",
            "menu.tsx": """
                import { MenuItem, Other } from './parts';

                export const Menu = { Item: MenuItem }; // CALLER
                export const Either = { Item: Menu ? MenuItem : Other }; // CALLER
                """,
            "app.tsx": """
                import { Menu, Either } from './menu';

                const run = Menu.Item; // CALLER
                const { Item } = Menu; // CALLER
                export const A = () => run({}); // CALLER
                export const B = () => <Item />; // CALLER
                export const C = () => <Either.Item />; // MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()
