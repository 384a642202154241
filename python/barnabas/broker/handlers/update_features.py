"""UpdateFeatures (key 57), versions 0-2. Version 0 says by a flag whether a level may fall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.controller.features import SAFE_DOWNGRADE, UPGRADE
from barnabas.protocol.messages.update_features import UpdateFeaturesResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

LAST_WITH_RESULTS = 1


def handle(plane: ControlPlane, request: Request) -> None:
    """Changes feature levels."""
    if request.version == 0:
        for update in request.message.feature_updates:
            update.upgrade_type = SAFE_DOWNGRADE if update.allow_downgrade else UPGRADE

    def finish(response: UpdateFeaturesResponse) -> None:
        if request.version > LAST_WITH_RESULTS:
            response.results = []

    plane.metadata.administer(request, lambda code: UpdateFeaturesResponse(error_code=code, error_message=None), finish)
