// SPDX-License-Identifier: GPL-2.0-only
#include "jumbo.hpp"

#include "traffic.hpp"

void set_mtu(const Wire &wire, unsigned mtu)
{
	wire.tx.ip("link set " + wire.tx_if + " mtu " + std::to_string(mtu));
	wire.rx.ip("link set " + wire.rx_if + " mtu " + std::to_string(mtu));
}

std::string jumbo_traffic(const Wire &wire, unsigned tos)
{
	std::string missing;

	for (const char *address : { Wire::RX_IP4, Wire::RX_IP6 }) {
		unsigned n = udp_transfer(wire.tx, wire.rx, address, 5, 1, tos, 8000);

		if (n != 5)
			missing += std::to_string(n) + " of 5 to " + address + "; ";
	}
	return missing;
}
