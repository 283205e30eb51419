"""Callers in PHP that no code names: configuration, routes, events, models, templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.stories import Repo

COMPOSER = '{"autoload": {"psr-4": {"App\\\\": "app/"}}}'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def ways(repo: Repo) -> dict[str, str | None]:
    """`path:line` of each caller of the definition marked TARGET -> what connects them."""
    (place,) = repo.lines("TARGET")
    return {f"{each.file}:{each.line}": each.via for each in repo.ask([place])[0].callers}


# ------------------------------------------------------------------------------------------- Symfony's configuration


LISTENER = """\
    <?php
    namespace App\\EventListener;
    class OrderListener
    {
        public function onPaid(object $event): void {} // TARGET
    }
    """


def test_a_method_that_only_yaml_names_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "app/EventListener/OrderListener.php": LISTENER,
            "app/EventListener/Other.php": LISTENER.replace("OrderListener", "Other").replace("TARGET", ""),
            "app/Below.php": "<?php\nnamespace App;\nclass Below extends EventListener\\OrderListener {}\n",
            "config/services.yaml": """\
                services:
                    _defaults: { autowire: true }
                    App\\EventListener\\OrderListener:
                        tags:
                            - { name: kernel.event_listener, event: order.paid, method: onPaid } # CALLER
                            # method: onPaid
                            - { name: kernel.event_listener, event: order.gone, method: onGone }
                    App\\EventListener\\Other:
                        tags: [{ name: kernel.event_listener, method: onPaid }]
                    app.vip:
                        class: 'App\\EventListener\\OrderListener'
                        calls:
                            - [onPaid, ['@logger']] # CALLER
                            - onPaid: ['@logger'] # CALLER
                            - method: onPaid # CALLER
                        tags:
                        - name: kernel.event_listener
                          method: "onPaid" # CALLER
                    app.below:
                        class: App\\Below
                        tags: [{ name: x, method: onPaid }] # CALLER
                    app.made:
                        class: App\\Thing
                        factory: ['@App\\EventListener\\OrderListener', 'onPaid'] # CALLER
                    app.configured:
                        class: App\\Thing
                        configurator: 'App\\EventListener\\OrderListener::onPaid' # CALLER
                    app.alias: '@App\\EventListener\\OrderListener'
                """,
            "config/routes.yml": """\
                paid:
                    path: /paid
                    controller: App\\EventListener\\OrderListener::onPaid # CALLER
                old:
                    defaults: { _controller: 'App\\EventListener\\Other::onPaid' }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert ways(repo)["config/services.yaml:5"] == "service tag"
    assert ways(repo)["config/services.yaml:13"] == "service call"
    assert ways(repo)["config/routes.yml:3"] == "route"


def test_a_method_that_only_xml_names_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "app/EventListener/OrderListener.php": LISTENER,
            "config/services.xml": """\
                <?xml version="1.0" ?>
                <container>
                    <services>
                        <service id="app.paid" class="App\\EventListener\\OrderListener">
                            <argument type="service">
                                <service class="App\\Other"><call method="onPaid"/></service>
                            </argument>
                            <tag name="kernel.event_listener"
                                 event="order.paid" method="onPaid" /><!-- CALLER -->
                            <!-- <call method="onPaid"/> -->
                        </service>
                        <service id="App\\EventListener\\OrderListener"/>
                        <service id="other" class="App\\Other"><tag name="x" method="onPaid"/></service>
                        <service id="made">
                            <factory class="App\\EventListener\\OrderListener" method="onPaid"/><!-- CALLER -->
                        </service>
                        <service id="called" class="App\\EventListener\\OrderListener">
                            <call method="onPaid"/><!-- CALLER -->
                        </service>
                    </services>
                    <route id="a" path="/a" controller="App\\EventListener\\OrderListener::onPaid"/><!-- CALLER -->
                    <route>
                        <default key="_controller">App\\EventListener\\OrderListener::onPaid</default><!-- CALLER -->
                    </route>
                </container>
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_service_whose_constructor_changes_is_not_found_in_configuration(repo: Repo) -> None:
    repo.commit(
        {
            "app/Mailer.php": """\
                <?php
                namespace App;
                class Mailer
                {
                    public function __construct(private string $dsn) {} // TARGET
                }
                class Below extends Mailer {}
                class Own extends Mailer { public function __construct() {} }
                """,
            "config/services.yaml": """\
                services:
                    App\\Mailer: # CALLER
                        arguments: ['%dsn%']
                    App\\Mailers: ~
                    Other\\App\\Mailer: ~
                    app.below:
                        class: App\\Below # CALLER
                    app.own: { class: App\\Own }
                    app.inline: { class: App\\Mailer, public: true } # CALLER
                    alias: '@App\\Mailer'
                """,
            "config/services.xml": """\
                <container>
                    <service id="mailer" class="App\\Mailer"/><!-- CALLER -->
                    <service id="App\\Mailer" alias="mailer"/>
                    <service id="App\\Mailer"><argument>%dsn%</argument></service><!-- CALLER -->
                </container>
                """,
            "config/services.php": """\
                <?php
                use App\\Mailer;
                use Symfony\\Component\\DependencyInjection\\Loader\\Configurator\\ContainerConfigurator;
                return static function (ContainerConfigurator $container) {
                    $container->services()
                        ->set('mailer', Mailer::class) // CALLER
                        ->set(\\App\\Own::class)
                        ->alias(Mailer::class, 'mailer');
                };
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_class_that_configuration_names_can_be_removed_unseen(repo: Repo) -> None:
    repo.commit(
        {
            "app/Mailer.php": "<?php\nnamespace App;\nclass Mailer {}\n",
            "app/Kept.php": "<?php\nnamespace App;\nclass Kept { function a() {} }\n",
            "config/services.yaml": """\
                services:
                    App\\Mailer: ~
                    app.kept: { class: App\\Kept, calls: [[a, []]] }
                    App\\Reader:
                        arguments: ['@App\\Mailer']
                """,
        }
    )
    repo.commit({"app/Mailer.php": None, "app/Kept.php": "<?php\nnamespace App;\nclass Kept {}\n"})
    told = repo.brief()
    assert told.callers("Mailer") == ["config/services.yaml:2", "config/services.yaml:5"]
    assert told.kinds("Mailer") == {"config/services.yaml:2": "config", "config/services.yaml:5": "config"}
    assert told.fits("Kept.a") == {"config/services.yaml:3": False}
    assert "broken-call config/services.yaml:2" in told.eyes()


def test_what_configuration_names_still_answers_elsewhere(repo: Repo) -> None:
    repo.commit(
        {
            "app/Base.php": "<?php\nnamespace App;\nclass Base { function a() {} }\n",
            "app/Kept.php": "<?php\nnamespace App;\nclass Kept extends Base { function a() {} }\n",
            "config/services.yaml": "services:\n    k: { class: App\\Kept, calls: [[a, []]] }\n",
        }
    )
    repo.commit({"app/Kept.php": "<?php\nnamespace App;\nclass Kept extends Base {}\n"})
    assert repo.brief().callers("Kept.a") == []


def test_lines_of_the_diff_are_listed_as_its_callers(repo: Repo) -> None:
    services = "services:\n    k: { class: App\\Kept, calls: [[a, []]] }\n"
    repo.commit(
        {"app/Kept.php": "<?php\nnamespace App;\nclass Kept { function a() {} }\n", "config/services.yaml": services}
    )
    repo.commit(
        {
            "app/Kept.php": "<?php\nnamespace App;\nclass Kept { function a($x) {} }\n",
            "config/services.yaml": services.replace("calls", "public: true, calls")
            + "    l: { class: App\\Kept, calls: [[a, []]] }\n",
        }
    )
    assert repo.brief().callers("Kept.a") == []


def test_php_configuration_names_a_method_of_another_service(repo: Repo) -> None:
    repo.commit(
        {
            "app/EventListener/OrderListener.php": LISTENER,
            "config/services.php": """\
                <?php
                namespace Symfony\\Component\\DependencyInjection\\Loader\\Configurator;
                use App\\EventListener\\OrderListener;
                return static function (ContainerConfigurator $container) {
                    $container->services()
                        ->set('one', OrderListener::class)
                            ->args([service('x')])
                            ->tag('kernel.event_listener', ['event' => 'order.paid', 'method' => 'onPaid']) // CALLER
                            ->call('onPaid', []) // CALLER
                        ->set('two', \\App\\Other::class)
                            ->tag('kernel.event_listener', ['method' => 'onPaid'])
                            ->call('onPaid');
                };
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize("suffix", ["yaml", "xml"])
def test_configuration_that_makes_no_sense_costs_more_than_itself(repo: Repo, suffix: str) -> None:
    noise = [
        "services:\n" + "".join(f"{' ' * depth}k:\n" for depth in range(2000)),
        "services:\n  App\\Kept: " + "[" * 50_000 + "\n",
        "- " * 20_000 + "\n",
        "<service " * 5_000 + 'class="App\\Kept',
        '<service id="' + "a" * 100_000 + "\n" + "<!--" * 5_000,
        "services: &a [*a, *a]\n  App\\Kept: !php/object 'O:1'\n",
        "\\" * 100_000 + "App\\Kept::a",
        'class: "' * 20_000,
    ]
    repo.commit(
        {"app/Kept.php": "<?php\nnamespace App;\nclass Kept {\nfunction a() {} // TARGET\n}\n"}
        | {f"config/{number}.{suffix}": f"# App\\Kept\n{text}" for number, text in enumerate(noise)}
        | {f"config/z.{suffix}": b"services:\n  App\\Kept: { tags: [{ method: a\xff\xfe }] }\n"}
    )
    assert {each.kind for each in repo.ask(repo.lines("TARGET"))[0].callers} <= {"config"}


def test_a_controller_is_routed_under_another_name_than_its_class(repo: Repo) -> None:
    repo.commit(
        {
            "app/OrderController.php": """\
                <?php
                namespace App;
                class OrderController
                {
                    public function show() {} // TARGET
                }
                """,
            "config/services.php": """\
                <?php
                namespace Symfony\\Component\\DependencyInjection\\Loader\\Configurator;
                return static function (ContainerConfigurator $container) {
                    $container->services()->set('shop.order', \\App\\OrderController::class);
                };
                """,
            "config/routing.xml": """\
                <routes>
                    <route><default key="_controller">shop.order::show</default></route><!-- MAYBE -->
                    <route><default key="_controller">web.shop.order::show</default></route>
                    <route><default key="_controller">shop.order::shown</default></route>
                </routes>
                """,
            "config/routes.php": """\
                <?php
                $routes->add('show', '/show')->controller('shop.order::show'); // MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_twig_extension_hands_over_callables_unseen(repo: Repo) -> None:
    repo.commit(
        {
            "app/PriceRuntime.php": """\
                <?php
                namespace App;
                class PriceRuntime
                {
                    public function format($x) {} // TARGET
                }
                """,
            "app/PriceExtension.php": """\
                <?php
                namespace App;
                class PriceExtension extends PriceRuntime
                {
                    public function getFilters(): array
                    {
                        return [
                            new TwigFilter('price', [PriceRuntime::class, 'format']), // CALLER
                            new TwigFilter('own', [$this, 'format'], ['is_safe' => ['html']]), // CALLER
                            new TwigFilter('first', $this->format(...)), // CALLER
                            new TwigFilter('format', [$this, 'other']),
                        ];
                    }
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------ events and messages


def test_an_event_is_dispatched_to_a_listener_that_nobody_names(repo: Repo) -> None:
    repo.commit(
        {
            "app/EventListener/OrderListener.php": LISTENER,
            "app/EventListener/Subscriber.php": """\
                <?php
                namespace App\\EventListener;
                class Subscriber implements \\Symfony\\Component\\EventDispatcher\\EventSubscriberInterface
                {
                    public static function getSubscribedEvents(): array { return ['order.void' => 'onPaid']; }
                    public function onPaid(object $event): void {}
                }
                """,
            "app/Events.php": """\
                <?php
                namespace App;
                class Events {
                    const PAID = 'order.paid';
                    public const string OTHER = 'order.other';
                    function f($d) { $d->dispatch(1, self::PAID); $d->dispatch(1, self::OTHER); } // MAYBE
                }
                """,
            "app/Checkout.php": """\
                <?php
                namespace App;
                use App\\Events as E;
                class Checkout {
                    function pay($event) {
                        $this->dispatcher->dispatch($event, 'order.paid'); // MAYBE
                        $this->dispatcher->dispatch($event, "order.paid"); // MAYBE
                        $this->dispatcher->dispatch($event, 'order.paid.late');
                        $this->dispatcher->dispatch($event, 'order.void');
                        $this->dispatcher->dispatch($event, E::PAID); // MAYBE
                        $this->dispatcher->dispatch($event, E::OTHER);
                        $this->log('order.paid');
                    }
                }
                """,
            "config/services.yaml": """\
                services:
                    App\\EventListener\\OrderListener:
                        tags: [{ name: kernel.event_listener, event: order.paid, method: onPaid }] # CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert ways(repo)["app/Checkout.php:6"] == "event"


def test_a_subscribers_own_list_is_no_caller(repo: Repo) -> None:
    repo.commit(
        {
            "app/Subscriber.php": """\
                <?php
                namespace App;
                class Subscriber
                {
                    public static function getSubscribedEvents(): array
                    {
                        return [
                            Paid::class => 'onPaid', // CALLER
                            Events::VOID => ['onPaid', 10], // CALLER
                            'order.twice' => [['onPaid', 10], ['onLate']], // CALLER
                            'onPaid' => 'onLate',
                        ];
                    }
                    public function onPaid(object $event): void {} // TARGET
                    public function onLate(): void {}
                }
                class Events { const VOID = 'order.void'; }
                class Paid {}
                class Free {}
                """,
            "app/Checkout.php": """\
                <?php
                namespace App;
                function pay($dispatcher, $event) {
                    $dispatcher->dispatch(new Paid()); // MAYBE
                    $dispatcher->dispatch(new Free());
                    $paid = new Paid();
                    $free = new Free();
                    $dispatcher->dispatch($paid); // MAYBE
                    $dispatcher->dispatch($free);
                    $dispatcher->dispatch($event, Paid::class); // MAYBE
                    $dispatcher->dispatch($event, Events::VOID); // MAYBE
                    $dispatcher->dispatch($event, 'order.twice'); // MAYBE
                    return new Paid();
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    ("on_class", "on_method"),
    [
        ("#[AsEventListener(event: Paid::class, method: 'onPaid')] // CALLER", ""),
        ("#[AsEventListener(event: 'paid')]", ""),
        ("", "#[AsEventListener]"),
        ("", "#[AsEventListener(Paid::class)]"),
    ],
)
def test_a_listener_by_attribute_is_not_reached(repo: Repo, on_class: str, on_method: str) -> None:
    repo.commit(
        {
            "app/Listener.php": f"""\
                <?php
                namespace App;
                {on_class}
                final class Listener
                {{
                    {on_method}
                    public function onPaid(Paid $event): void {{}} // TARGET
                    #[AsEventListener]
                    public function other(Free $event): void {{}}
                }}
                """,
            "app/Checkout.php": """\
                <?php
                namespace App;
                function pay($dispatcher) {
                    $dispatcher->dispatch(%s); // MAYBE
                    $dispatcher->dispatch(new Free());
                }
                """
            % ("$event, 'paid'" if "'paid'" in on_class else "new Paid()"),
        }
    )
    assert repo.callers() == repo.marked()


def test_a_message_does_not_reach_its_handler(repo: Repo) -> None:
    repo.commit(
        {
            "app/Handler.php": """\
                <?php
                namespace App;
                use Symfony\\Component\\Messenger\\Attribute\\AsMessageHandler;
                #[AsMessageHandler]
                final class Handler
                {
                    public function __invoke(SendInvoice|SendOffer $message): void {} // TARGET
                }
                class SendInvoice {}
                class SendOffer {}
                class SendNothing {}
                """,
            "app/Checkout.php": """\
                <?php
                namespace App;
                function pay($bus) {
                    $bus->dispatch(new SendInvoice(1)); // MAYBE
                    $bus->dispatch(new Envelope(new SendOffer(), [])); // MAYBE
                    $bus->dispatch(SendOffer::about(1)); // MAYBE
                    $bus->dispatch(new SendNothing());
                    store(new SendInvoice(2));
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert ways(repo)["app/Checkout.php:4"] == "message"


def test_laravels_events_do_not_reach_their_listeners(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Listeners/SendReceipt.php": """\
                <?php
                namespace App\\Listeners;
                use App\\Events\\OrderPaid;
                class SendReceipt
                {
                    public function handle(OrderPaid $event): void {} // TARGET
                }
                """,
            "app/Events/OrderPaid.php": "<?php\nnamespace App\\Events;\nclass OrderPaid {}\nclass Other {}\n",
            "app/Providers/EventServiceProvider.php": """\
                <?php
                namespace App\\Providers;
                use App\\Events\\{OrderPaid, Other};
                use App\\Listeners\\SendReceipt;
                class EventServiceProvider {
                    protected $listen = [
                        OrderPaid::class => [SendReceipt::class], // MAYBE
                        Other::class => [\\App\\Listeners\\Nothing::class],
                    ];
                    function boot() {
                        Event::listen('order.queued', SendReceipt::class); // MAYBE
                        Event::listen(SendReceipt::class, Other::class);
                    }
                }
                """,
            "app/Checkout.php": """\
                <?php
                namespace App;
                use App\\Events\\{OrderPaid, Other};
                event(new OrderPaid()); // MAYBE
                OrderPaid::dispatch(1); // MAYBE
                Event::dispatch(new OrderPaid()); // MAYBE
                event('order.queued', [1]); // MAYBE
                event(new Other());
                event('order.other');
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_subscriber_by_strings_waits_for_nothing(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Listeners/Log.php": """\
                <?php
                namespace App\\Listeners;
                use App\\Events\\CheckedOut;
                class Log
                {
                    public function subscribe($events) {
                        $events->listen(CheckedOut::class, 'App\\Listeners\\Log@onCheckout'); // MAYBE
                        $events->listen('other', 'App\\Listeners\\Log@onOther');
                    }
                    public function onCheckout($event) {} // TARGET
                    public function onOther($event) {}
                }
                """,
            "app/Models/Asset.php": """\
                <?php
                namespace App\\Models;
                event(new \\App\\Events\\CheckedOut(1)); // MAYBE
                event('other');
                """,
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------------ Laravel's names


def test_a_route_is_no_caller_of_its_action(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Http/Controllers/FooController.php": """\
                <?php
                namespace App\\Http\\Controllers;
                class FooController
                {
                    public function index(): string { return 'foo'; } // TARGET
                    public function __invoke(): string { return 'invoked'; }
                }
                class Below extends FooController {}
                """,
            "routes/web.php": """\
                <?php
                use App\\Http\\Controllers\\Admin\\FooController as AdminFoo;
                use App\\Http\\Controllers\\Below;
                use App\\Http\\Controllers\\FooController;
                use Illuminate\\Support\\Facades\\Route;
                Route::get('foo', [FooController::class, 'index'])->name('foo.index'); // CALLER
                Route::get('admin/foo', [AdminFoo::class, 'index']);
                Route::get('once', FooController::class);
                Route::get('old', 'App\\Http\\Controllers\\FooController@index'); // MAYBE
                Route::get('old', 'FooController@index'); // MAYBE
                Route::get('old', 'Admin\\FooController@index');
                Route::get('old', 'FooController@indexed');
                Route::resource('foos', FooController::class); // MAYBE
                Route::resource('foos', FooController::class)->only(['show', 'index']); // MAYBE
                Route::resource('foos', FooController::class)->only(['show']);
                Route::resource('foos', FooController::class)->except('index');
                Route::resource('foos', FooController::class, ['except' => ['index']]);
                Route::apiResource('foos', Below::class)->middleware('auth'); // MAYBE
                Route::apiResources(['foos' => FooController::class]); // MAYBE
                Route::resource('foos', AdminFoo::class);
                $app->singleton(FooController::class);
                Route::controller(FooController::class)->prefix('x')->group(function () {
                    Route::get('list', 'index'); // MAYBE
                    Route::get('index', 'show');
                });
                Route::controller(AdminFoo::class)->group(function () { Route::get('list', 'index'); });
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert ways(repo)["routes/web.php:13"] == "resource route"


def test_an_invokable_controller_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Http/Once.php": """\
                <?php
                namespace App\\Http;
                class Once {
                    public function __invoke() {} // TARGET
                }
                """,
            "routes/web.php": """\
                <?php
                use App\\Http\\Once;
                use Illuminate\\Support\\Facades\\Route;
                Route::get('once', Once::class)->name('x'); // CALLER
                Route::get('more', [Once::class, 'more']);
                $router->post('once', Once::class); // MAYBE
                $cache->get('once', Once::class);
                Route::controller(Once::class)->group(function () {});
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_job_that_is_dispatched_is_not_run(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Jobs/Send.php": """\
                <?php
                namespace App\\Jobs;
                class Send { use \\Illuminate\\Foundation\\Bus\\Dispatchable;
                    public function __construct(public int $id) {}
                    public function handle(): void {} // TARGET
                }
                """,
            "app/use.php": """\
                <?php
                use App\\Jobs\\Send;
                Send::dispatch(1)->onQueue('x'); // MAYBE
                Send::dispatchIf(true, 1); // MAYBE
                dispatch(new Send(1)); // MAYBE
                $this->dispatch(new Send(1)); // MAYBE
                Bus::chain([new Send(1), new Other()]); // MAYBE
                store(new Send(1));
                Send::make();
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_job_that_takes_other_arguments_still_fits_where_it_is_dispatched(repo: Repo) -> None:
    job = """\
        <?php
        namespace App\\Jobs;
        class Send {
            public function __construct(%s) {}
        }
        """
    use = "<?php\nuse App\\Jobs\\Send;\n"
    use += "Send::dispatch(1);\nSend::dispatch(1, 2);\nSend::dispatchIf(true, 1);\nnew Send(1);\n"
    repo.commit({"composer.json": COMPOSER, "app/Jobs/Send.php": job % "public int $id", "app/use.php": use})
    repo.commit({"app/Jobs/Send.php": job % "public int $id, public int $more"})
    found = repo.brief()
    assert found.fits("Send.__construct") == {
        "app/use.php:3": False,
        "app/use.php:4": None,
        "app/use.php:5": None,
        "app/use.php:6": False,
    }


@pytest.mark.parametrize(
    ("declared", "line"),
    [
        (
            "class Thing {\nfunction handle() {} // TARGET\n}",
            "Route::get('x', f())->middleware([Thing::class]); // MAYBE",
        ),
        (
            "class Thing {\nfunction handle() {} // TARGET\n}",
            "class K { protected $middleware = [Thing::class]; } // MAYBE",
        ),
        (
            "class Thing {\nfunction handle() {} // TARGET\n}",
            "class K { protected $commands = [Thing::class]; } // MAYBE",
        ),
        ("class Thing {\nfunction created() {} // TARGET\n}", "User::observe(Thing::class); // MAYBE"),
        ("class Thing {\nfunction created() {} // TARGET\n}", "#[ObservedBy(Thing::class)] class U {} // MAYBE"),
        ("class Thing {\nfunction renamed() {} // TARGET\n}", "User::observe(Thing::class);"),
        ("class Thing {\nfunction run() {} // TARGET\n}", "$this->call([Thing::class]); // MAYBE"),
        ("class Thing {\nfunction toMail() {} // TARGET\n}", "$user->notify(new Thing()); // MAYBE"),
        ("class Thing {\nfunction __construct() {} // TARGET\n}", "$app->bind(Other::class, Thing::class); // MAYBE"),
        ("class Thing {\nfunction __construct() {} // TARGET\n}", "$thing = app(Thing::class); // MAYBE"),
        (
            "class Thing {\nfunction __construct() {} // TARGET\n}",
            "class P { public $singletons = [Thing::class]; } // MAYBE",
        ),
        ("class Thing {\nfunction handle() {} // TARGET\n}", "store(Thing::class);"),
        (
            "class ThingPolicy {\nfunction view() {} // TARGET\n}",
            "Gate::policy(Thing::class, ThingPolicy::class); // MAYBE",
        ),
        ("class ThingPolicy {\nfunction view() {} // TARGET\n}", "$this->authorize('view', Thing::class); // MAYBE"),
        ("class ThingPolicy {\nfunction view() {} // TARGET\n}", "$this->authorize('view', Other::class);"),
        (
            "class ThingPolicy {\nfunction view() {} // TARGET\n}",
            "function f(Thing $t, Other $o, $u) { $u->can('view', $o);\n $u->can('view', $t); } // MAYBE",
        ),
    ],
)
def test_what_laravel_calls_by_its_class_has_no_callers(repo: Repo, declared: str, line: str) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Thing.php": f"<?php\nnamespace App;\n{declared}\n",
            "app/Other.php": "<?php\nnamespace App;\nclass Other {}\n",
            "app/use.php": f"<?php\nnamespace App;\n{line}\n",
        }
        | ({"app/Model.php": "<?php\nnamespace App;\nclass Thing {}\n"} if "Policy" in declared else {})
    )
    assert repo.callers() == repo.marked()


def test_a_command_that_is_called_by_its_name_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Send.php": """\
                <?php
                namespace App;
                class Send { protected $signature = 'orders:send {--all}';
                    public function handle() {} // TARGET
                }
                """,
            "app/use.php": """\
                <?php
                namespace App;
                Artisan::call('orders:send', ['--all' => true]); // MAYBE
                $schedule->command('orders:send --all')->daily(); // MAYBE
                $schedule->command('orders:sender');
                new ArrayInput(['command' => 'orders:send']); // MAYBE
                trans('orders:send');
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_an_applications_own_facade_leads_nowhere(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Logger.php": """\
                <?php
                namespace App;
                class Logger {
                    public function add(int $x) {} // TARGET
                }
                """,
            "app/Facades/Log.php": """\
                <?php
                namespace App\\Facades;
                use App\\Logger;
                class Log extends \\Illuminate\\Support\\Facades\\Facade {
                    protected static function getFacadeAccessor(): string { return Logger::class; }
                }
                """,
            "app/Facades/Keyed.php": """\
                <?php
                namespace App\\Facades;
                /** @see \\App\\Logger */
                class Keyed extends \\Illuminate\\Support\\Facades\\Facade {
                    protected static function getFacadeAccessor() { return 'logger'; }
                }
                """,
            "app/Facades/Unknown.php": """\
                <?php
                namespace App\\Facades;
                class Unknown extends \\Illuminate\\Support\\Facades\\Facade {
                    protected static function getFacadeAccessor() { return 'logger'; }
                }
                """,
            "app/use.php": """\
                <?php
                use App\\Facades\\{Log, Keyed, Unknown};
                Log::add(1); // CALLER
                Keyed::add(1); // CALLER
                Unknown::add(1);
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_what_the_container_is_asked_for_is_unknown(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "app/Logger.php": """\
                <?php
                namespace App;
                class Logger {
                    public function add(int $x) {} // TARGET
                }
                class Other { public function add(int $x) {} }
                """,
            "app/use.php": """\
                <?php
                namespace App;
                app(Logger::class)->add(1); // CALLER
                $logger = resolve(Logger::class);
                $logger->add(2); // CALLER
                app()->make(Logger::class)->add(3); // CALLER
                app(Other::class)->add(4);
                $this->app->make(Logger::class)->add(5); // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


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
        "public function setFullTitleAttribute($value) {} // TARGET",
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
                    echo $other->full_title;
                    echo $post->full_titles;
                    $post->full_title();
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
