"""Callers in PHP through Eloquent's other names, through Doctrine's repositories, and in Blade templates."""

from __future__ import annotations

import pytest

from tests.graph.php_apps import COMPOSER
from tests.graph.stories import Repo

# ----------------------------------------------------------------------------------------------------------- models


def test_a_scope_is_called_by_another_name(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": """\
                <?php
                namespace App;
                class Post extends \\Illuminate\\Database\\Eloquent\\Model {
                    public function scopePublished($query, $since = null) { return $query; } // TARGET
                    public function own() { return $this->published(); } // CALLER
                }
                class Other { public static function published() {} }
                """,
            "app/use.php": """\
                <?php
                namespace App;
                function f(Post $post, Other $other, $any) {
                    Post::published()->get(); // CALLER
                    Post::Published()->get(); // CALLER
                    $post->published(); // CALLER
                    Post::query()->where('a', 1)->published(); // MAYBE
                    $any->published(); // MAYBE
                    $any->scopes('published')->scopes(['published' => 1])->get(); // MAYBE
                    $any->scope('published');
                    Other::published();
                    $other->published();
                    $post->published;
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_scope_by_attribute_is_called_on_builders_alone(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": """\
                <?php
                namespace App;
                use Illuminate\\Database\\Eloquent\\Attributes\\Scope;
                class Post extends \\Illuminate\\Database\\Eloquent\\Model {
                    #[Scope]
                    protected function published(Builder $query): void {} // TARGET
                }
                """,
            "app/use.php": """\
                <?php
                namespace App;
                Post::published()->get(); // CALLER
                Post::query()->published(); // MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    "declared",
    [
        "public function getFullTitleAttribute() { return 'x'; } // TARGET",
        "protected function fullTitle(): Attribute { return Attribute::make(); } // TARGET",
    ],
)
def test_an_accessor_is_read_as_a_property(repo: Repo, declared: str) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": f"<?php\nnamespace App;\nclass Post extends Model {{\n {declared}\n}}\n",
            "app/use.php": """\
                <?php
                namespace App;
                class Other { public $full_title; }
                function f(Post $post, Other $other, $any) {
                    echo $post->full_title; // MAYBE
                    echo $any->full_title; // MAYBE
                    echo \\Illuminate\\Support\\Facades\\Auth::user()->full_title; // MAYBE
                    echo \\Carbon\\Carbon::parse('x')->full_title;
                    echo $other->full_title;
                    echo $post->full_titles;
                    $post->full_title();
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(("method", "read", "written"), [("set", "", " // MAYBE"), ("get", " // MAYBE", "")])
def test_a_mutator_runs_where_the_property_is_read(repo: Repo, method: str, read: str, written: str) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": f"""\
                <?php
                namespace App;
                class Post extends Model {{
                    public function {method}FullTitleAttribute($value) {{}} // TARGET
                }}
                """,
            "app/use.php": f"""\
                <?php
                namespace App;
                function f(Post $post) {{
                    echo $post->full_title;{read}
                    $post->full_title = 'x';{written}
                }}
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_what_a_query_gives_is_any_model(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": """\
                <?php
                namespace App;
                class Post extends Base {
                    public function refreshAll($x) {} // TARGET
                }
                class Base extends \\Illuminate\\Database\\Eloquent\\Model {}
                class User extends \\Illuminate\\Foundation\\Auth\\User {}
                class Own extends Base { public static function find($id): Post { return new Post(); } }
                class Other extends \\Vendor\\Thing {}
                """,
            "app/use.php": """\
                <?php
                namespace App;
                function f() {
                    Post::find(1)->refreshAll(1); // CALLER
                    $post = Post::query()->where('a', 1)->firstOrFail();
                    $post->refreshAll(1); // CALLER
                    Post::factory()->published()->create(['a' => 1])->refreshAll(1); // CALLER
                    Own::find(1)->refreshAll(1); // CALLER
                    User::find(1)->refreshAll(1);
                    $user = User::factory()->create();
                    $user->refreshAll(1);
                    Post::find([1, 2])->refreshAll(1); // MAYBE
                    Post::factory()->count(2)->create()->refreshAll(1); // MAYBE
                    Post::pluck('a')->first()->refreshAll(1); // MAYBE
                    Other::find(1)->refreshAll(1); // MAYBE
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_relationship_is_read_as_a_property(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": """\
                <?php
                namespace App;
                class Post extends Model {
                    public function writer() { return $this->belongsTo(User::class); } // TARGET
                    public function editor() { return $this->writer; } // MAYBE
                }
                class User extends Model { public $writer; }
                """,
            "app/use.php": """\
                <?php
                namespace App;
                function f(Post $post, User $user) {
                    echo $post->writer->name; // MAYBE
                    $post->writer()->associate($user); // CALLER
                    echo $user->writer;
                    Post::with('writer', 'tags')->get(); // MAYBE
                    Post::with(['writer.company' => fn ($q) => $q])->get(); // MAYBE
                    User::with('posts.writer')->get(); // MAYBE
                    User::with('writer')->get();
                    view('posts')->with('writer', $user);
                    Post::whereHas('writer')->where('writer', 1); // MAYBE
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_common_accessor_is_that_of_every_value(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Post.php": """\
                <?php
                namespace App;
                class Post extends Model {
                    public function getNameAttribute() {} // TARGET
                }
                """,
            "app/use.php": """\
                <?php
                namespace App;
                function f(Post $post, $any) {
                    echo $post->name; // MAYBE
                    echo $any->name;
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    "entity",
    [
        "#[ORM\\Entity(repositoryClass: OrderRepository::class)]",
        '/** @ORM\\Entity(repositoryClass="App\\OrderRepository") */',
        "/** @ORM\\Entity(repositoryClass=OrderRepository::class) */",
    ],
)
def test_a_repository_is_not_reached_through_its_entity(repo: Repo, entity: str) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/OrderRepository.php": """\
                <?php
                namespace App;
                class OrderRepository extends EntityRepository {
                    public function find($id) {} // TARGET
                }
                """,
            "app/Order.php": f"<?php\nnamespace App;\n{entity}\nclass Order {{}}\nclass Item {{}}\n",
            "app/use.php": """\
                <?php
                namespace App;
                function f($manager) {
                    $manager->getRepository(Order::class)->find(1); // CALLER
                    $manager->getRepository(Item::class)->find(1);
                    $orders = $this->em()->getRepository(Order::class);
                    $orders->find(1); // CALLER
                    $items = $manager->getRepository(Item::class);
                    $items->find(1);
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


# -------------------------------------------------------------------------------------------------------- templates


def test_a_template_calls_nothing(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Helpers/Price.php": """\
                <?php
                namespace App\\Helpers;
                class Price {
                    public static function format($x) {} // TARGET
                }
                """,
            "resources/views/order.blade.php": """\
                <p>{{ App\\Helpers\\Price::format(1) }}</p> {{-- CALLER --}}
                <p>{!! \\App\\Helpers\\Price::format($x) !!}</p> {{-- CALLER --}}
                <p>{{ Other\\App\\Helpers\\Price::format(1) }} {{ App\\Helpers\\Price::formats(1) }}</p>
                {{-- App\\Helpers\\Price::format(1) --}}
                <p>{{ Price::format(1) }}</p>
                @inject('price', 'App\\Helpers\\Price')
                {{ $price->format(1) }} {{-- CALLER --}}
                {{ $prices->format(1) }}
                """,
            "resources/views/used.blade.php": """\
                @use('App\\Helpers\\Price')
                {{ Price::format(1) }} {{-- CALLER --}}
                """,
        }
    )
    assert repo.callers() == repo.marked()
    (place,) = repo.lines("TARGET")
    assert {each.kind for each in repo.ask([place])[0].callers} == {"template"}


def test_what_is_injected_into_a_template_is_not_constructed(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Price.php": "<?php\nnamespace App;\nclass Price {\nfunction __construct() {} // TARGET\n}\n",
            "resources/views/order.blade.php": """\
                @inject('price', 'App\\Price') {{-- CALLER --}}
                @inject('price', \\App\\Price::class) {{-- CALLER --}}
                @inject('price', 'App\\Prices')
                {{ (new \\App\\Price())->x }} {{-- CALLER --}}
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_components_tag_does_not_render_it(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/View/Components/Forms/TextInput.php": """\
                <?php
                namespace App\\View\\Components\\Forms;
                class TextInput extends Component {
                    public function __construct() {} // TARGET
                }
                """,
            "app/boot.php": """\
                <?php
                Blade::component('typed', \\App\\View\\Components\\Forms\\TextInput::class);
                """,
            "resources/views/a.blade.php": """\
                <x-forms.text-input name="a" /> {{-- MAYBE --}}
                <x-forms.text-inputs/><x-text-input/>
                <x-typed/> {{-- MAYBE --}}
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_livewire_component_is_not_reached(repo: Repo) -> None:
    component = """\
        <?php
        namespace App\\Livewire\\Orders;
        class EditForm extends Component {
            public function render() { return view('livewire.orders.edit-form'); }%s
            public function store() {}%s
        }
        """
    views = {
        "resources/views/a.blade.php": """\
            <livewire:orders.edit-form :order="1" /> {{-- MAYBE --}}
            @livewire('orders.edit-form', ['a' => 1]) {{-- MAYBE --}}
            @livewire('orders.edit-form-more')
            """,
        "resources/views/livewire/orders/edit-form.blade.php": """\
            <button wire:click="store" wire:target="x"> {{-- MAYBE:store --}}
            <button wire:click.prevent="$parent.restore()">
            """,
        "resources/views/other.blade.php": '<button wire:click="store">\n',
    }
    files = {"composer.json": COMPOSER, **views}
    path = "app/Livewire/Orders/EditForm.php"
    repo.commit(files | {path: component % (" // TARGET", " // TARGET:store")})
    assert repo.callers() == repo.marked()
    assert repo.callers("store") == repo.marked("store")
