"""Callers in PHP that only Symfony's configuration names: YAML, XML, PHP."""

from __future__ import annotations

import pytest

from tests.graph.php_apps import LISTENER
from tests.graph.stories import Repo

# ------------------------------------------------------------------------------------------- Symfony's configuration


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
    assert repo.ways()["config/services.yaml:5"] == "service tag"
    assert repo.ways()["config/services.yaml:13"] == "service call"
    assert repo.ways()["config/routes.yml:3"] == "route"


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
