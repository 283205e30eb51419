"""Objects of constants: their properties are told one by one, as the members of an enumeration are."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

KEYS = """
    export const Key = {
      Zone: 'zone',
      Tax: 'tax',
      Old: 'old',
      user: { read: 'user:read', write: 'user:write' },
      order: { see: 'order:see', ship: 'order:ship' },
      label: () => 'label',
    }{AFTER};
    """
USE = """
    import { Key } from './k';
    import * as all from './k';
    get(Key.Zone);
    get(Key.Tax);  // CALLER:Tax
    get(Key.Old);  // CALLER:Old
    const { Old } = Key;  // CALLER:Old
    get(all.Key.Old);  // CALLER:Old
    get(Key.user.read);
    get(Key.user.write);  // CALLER:write
    get(Key.order.ship);
    """


@pytest.mark.parametrize("after", ["", " as const", " satisfies Record<string, unknown>"])
def test_who_reads_one_constant_is_listed_for_the_change_of_another(repo: Repo, after: str) -> None:
    text = KEYS.replace("{AFTER}", after)
    edited = text.replace("      Old: 'old',\n", "").replace("'tax'", "'the-tax'").replace("'user:write'", "'w'")
    repo.commit({"k.ts": text, "use.ts": USE}).commit({"k.ts": edited})
    brief = repo.brief()
    assert brief.changes() == {"Key.Old": "removed", "Key.Tax": "body", "Key.user.write": "body"}
    assert brief.callers("Key.Old") == repo.marked("Old")
    assert set(brief.fits("Key.Old").values()) == {False}
    assert brief.callers("Key.Tax") == repo.marked("Tax")
    assert brief.callers("Key.user.write") == repo.marked("write")


def test_a_constant_that_becomes_a_function_is_a_new_one_and_nobody_is_told(repo: Repo) -> None:
    function = KEYS.replace("'tax'", "(id: string) => `tax:${id}`")
    repo.commit({"k.ts": KEYS.replace("{AFTER}", ""), "use.ts": USE}).commit({"k.ts": function.replace("{AFTER}", "")})
    brief = repo.brief()
    assert brief.changes() == {"Key.Tax": "signature"}
    assert brief.callers("Key.Tax") == repo.marked("Tax")


def test_a_function_among_constants_that_becomes_a_text_is_gone_and_nobody_is_told(repo: Repo) -> None:
    use = "import { Key } from './k';\nexport const f = () => Key.label();  // CALLER\n"
    text = KEYS.replace("{AFTER}", "")
    repo.commit({"k.ts": text, "use.ts": use}).commit({"k.ts": text.replace("() => 'label'", "'label'")})
    brief = repo.brief()
    assert brief.changes() == {"Key.label": "signature"}
    assert brief.callers("Key.label") == repo.marked()


def test_who_takes_all_constants_at_once_is_not_told_of_a_changed_one(repo: Repo) -> None:
    use = """
        import { Key } from './k';
        export const all = Object.values(Key);  // CALLER
        export const more = { ...Key, Other: 'other' };  // CALLER
        export const one = (name: keyof typeof Key) => Key[name];  // CALLER
        export const zone = Key.Zone;
        export { Key };
        """
    text = KEYS.replace("{AFTER}", "")
    repo.commit({"k.ts": text, "use.ts": use}).commit({"k.ts": text.replace("'tax'", "'the-tax'")})
    brief = repo.brief()
    assert brief.changes() == {"Key": "body", "Key.Tax": "body"}
    assert brief.callers("Key") == repo.marked()


def test_constants_of_one_name_in_two_objects_are_taken_for_each_other(repo: Repo) -> None:
    use = """
        import { Key } from './k';
        get(Key.user.read);  // CALLER
        get(Key.user.write);  // CALLER
        get(Key.order.read);
        get(Key.Zone);
        """
    text = KEYS.replace("{AFTER}", "").replace("see:", "read:")
    repo.commit({"k.ts": text, "use.ts": use}).commit({"k.ts": text.replace("'user:read'", "'r'")})
    brief = repo.brief()
    assert brief.changes() == {"Key.user": "body"}
    assert brief.callers("Key.user") == repo.marked()


@pytest.mark.parametrize(
    "text",
    [
        "export const Key = { Zone: 'zone', Old: OTHER };\n",
        "export const Key = { ...BASE, Zone: 'zone', Old: 'old' };\n",
        "export const Key: Record<string, string> = { Zone: 'zone', Old: 'old' };\n",
        "export let Key = { Zone: 'zone', Old: 'old' };\n",
    ],
)
def test_an_object_of_other_things_is_told_by_its_properties(repo: Repo, text: str) -> None:
    use = "import { Key } from './k';\nexport const f = () => Key.Zone;  // CALLER\n"
    repo.commit({"k.ts": text, "use.ts": use}).commit({"k.ts": text.replace("'zone'", "'z'")})
    brief = repo.brief()
    assert brief.changes() == {"Key": "body"}
    assert brief.callers("Key") == repo.marked()


def test_another_constant_makes_the_others_changed(repo: Repo) -> None:
    text = KEYS.replace("{AFTER}", "")
    repo.commit({"k.ts": text, "use.ts": USE}).commit({"k.ts": text.replace("Old:", "New: 'new',\n      Old:")})
    brief = repo.brief()
    assert brief.changes() == {"Key.New": "added"}


def test_a_constant_in_a_template_is_forgotten(repo: Repo) -> None:
    vue = """
        <template>
          <p>{{ Key.Tax }}</p>
        </template>
        <script setup lang="ts">
        import { Key } from './k';
        </script>
        """
    text = KEYS.replace("{AFTER}", "")
    repo.commit({"k.ts": text, "A.vue": vue}).commit({"k.ts": text.replace("'tax'", "'the-tax'")})
    assert repo.brief().callers("Key") == ["A.vue:2"]
