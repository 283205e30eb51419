"""Callers in PHP that no code names: events, messages, routes, and what Laravel calls by a class's name."""

from __future__ import annotations

import pytest

from tests.graph.php_apps import COMPOSER, LISTENER
from tests.graph.stories import Repo

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
    assert repo.ways()["app/Checkout.php:6"] == "event"


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
    assert repo.ways()["app/Checkout.php:4"] == "message"


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
    assert repo.ways()["routes/web.php:13"] == "resource route"


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
