"""The addresses under which browsers reach a server of this machine."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable

DEFAULT_PORT = 8600
LOCAL = f"http://127.0.0.1:{DEFAULT_PORT}"
"""How links begin where nobody says otherwise."""
EVERYWHERE = ("0.0.0.0", "::", "")
"""Hosts that mean all addresses of the machine. No browser can open them."""
_SOMEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation (RFC 5737, RFC 3849). Nothing is sent to them."""
PLAIN_HTTP = (
    "Plain HTTP: everybody in the network can read the links and the pictures. Use it in a network "
    "that you trust, and put the server behind HTTPS for patients' pictures"
)


def names_of(host: str) -> list[str]:
    """Return the names under which browsers reach a server that listens at `host`.

    Of a server that listens at all addresses these are the machine's own address in its network,
    where there is one, and its name.
    """
    if host not in EVERYWHERE:
        return [host]
    families = [socket.AF_INET6] if host == "::" else [socket.AF_INET]
    addresses = [address for family in families for address in _own_addresses(family)]
    return [*addresses, socket.gethostname()]


def url_of(host: str, port: int) -> str:
    """Return the address of a server as a browser takes it: IPv6 addresses stand in brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_local(hosts: Iterable[str]) -> bool:
    """Return whether only browsers on this machine reach a server with these names."""
    for host in hosts:
        if host == "localhost":
            continue
        try:
            if not ipaddress.ip_address(host).is_loopback:
                return False
        except ValueError:
            return False
    return True


def _own_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the address that this machine has in its network; none without a network.

    A datagram socket that is connected has chosen its own address, and sends nothing for it.
    """
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_SOMEWHERE[family], 9))
            return [str(probe.getsockname()[0])]
    except OSError:
        return []
