/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status_socket.h"

/* The newest of the sockets, asked for once a second at most: status may show thousands of queues.
 */
static const struct rxaqm_sockets *all_sockets(unsigned int ifindex, __u64 now_ns)
{
	static unsigned int asked_ifindex;
	static struct rxaqm_sockets all;
	static __u64 asked_ns;

	if (!asked_ns || asked_ifindex != ifindex ||
	    rxaqm_ns_since(now_ns, asked_ns) > RXAQM_NSEC_PER_SEC) {
		rxaqm_sockets_read(&all);
		asked_ifindex = ifindex;
		asked_ns = now_ns;
	}
	return &all;
}

static void print_wait(struct rxaqm_out *out, const struct rxaqm_socket *socket)
{
	rxaqm_out_str(out, "wait_state", NULL, rxaqm_wait_state_name(socket->wait_state));
	switch (socket->wait_state) {
	case RXAQM_WAIT_NONE:
		rxaqm_out_text(out, ", which says nothing of its wait");
		return;
	case RXAQM_WAIT_BAD:
		rxaqm_out_text(out, ", whose wait is not believed");
		return;
	case RXAQM_WAIT_STALE:
		rxaqm_out_ns(out, "wait_age_ns", ", which has said nothing of its wait for %s",
			     socket->wait_age_ns);
		return;
	case RXAQM_WAIT_VALID:
		rxaqm_out_ns(out, "wait_ns", ", waits %s", socket->wait_ns);
		rxaqm_out_ns(out, "wait_age_ns", " (%s ago)", socket->wait_age_ns);
		return;
	}
}

void rxaqm_status_socket_out(struct rxaqm_out *out, const struct rxaqm_state *state,
			     const struct rxaqm_iface *iface, unsigned int number,
			     const struct rxaqm_queue *q, unsigned int ifindex, __u64 now_ns)
{
	const struct rxaqm_wait *wait = rxaqm_state_wait(state, iface, number);
	const struct rxaqm_socket_diag *diag = NULL;
	const struct rxaqm_sockets *all;
	struct rxaqm_socket socket;
	__u32 pid = RXAQM_READ_ONCE(wait->pid);

	if (!rxaqm_socket_serves(q))
		return;
	all = ifindex ? all_sockets(ifindex, now_ns) : NULL;
	if (all)
		diag = rxaqm_sockets_find(all, ifindex, number);
	rxaqm_socket_look(iface, q, wait, diag, now_ns, &socket);
	rxaqm_out_object(out, "socket");
	rxaqm_out_text(out, "    goes to a socket");
	/* Nothing has come since, or it would be known without. */
	if (all && all->known)
		rxaqm_out_bool(out, "bound", NULL, " that has left", diag);
	if (diag)
		rxaqm_out_u64(out, "uid", " of uid %llu", diag->uid);
	if (pid)
		rxaqm_out_u64(out, "pid", ", pid %llu", pid);
	if (socket.ring_entries)
		rxaqm_out_u64(out, "ring_entries", ", ring %llu", socket.ring_entries);
	print_wait(out, &socket);
	rxaqm_out_ns(out, "nic_sojourn_ns", "; %s in the NIC", socket.nic_ns);
	rxaqm_out_u64(out, "ring_full", "; %llu dropped at a full ring", socket.ring_full);
	if (diag)
		rxaqm_out_u64(out, "no_frame", diag->no_frame ? ", %llu for want of a frame" : NULL,
			      diag->no_frame);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}
