"""Files of PHP applications that several stories are about."""

from __future__ import annotations

COMPOSER = '{"autoload": {"psr-4": {"App\\\\": "app/"}}}'

LISTENER = """\
    <?php
    namespace App\\EventListener;
    class OrderListener
    {
        public function onPaid(object $event): void {} // TARGET
    }
    """
