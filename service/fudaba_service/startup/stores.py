"""Opens and checks the archive and the store of a service. The store is an embedded one or another server's."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba_service.archive import Archive
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.settings import Settings
from fudaba_service.store import EMPTY, Store, WrongSettings, tell
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.process.background import restarted
