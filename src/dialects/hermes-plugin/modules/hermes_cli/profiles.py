"""The profile that the plugin which asks runs in."""

__all__ = ["get_active_profile_name"]


def get_active_profile_name():
    from hookline_host import host

    unit = host.unit
    return (unit and unit.settings.get("profile")) or "default"
