// SPDX-License-Identifier: GPL-2.0-only
#include "plane.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <linux/if_xdp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "hint_run.skel.h"
#include "poll_run.skel.h"
#include "rxaqm.skel.h"
#include "stamp_run.skel.h"

namespace
{

void unpin(bpf_object *obj)
{
	bpf_map *map;

	bpf_object__for_each_map(map, obj)
		bpf_map__set_pin_path(map, nullptr);
}

/* Give the maps of @obj those of @from, and load but the program @only. */
void join(bpf_object *obj, bpf_object *from, const std::vector<bpf_program *> &only)
{
	bpf_program *prog;
	bpf_map *map;

	unpin(obj);
	bpf_object__for_each_map(map, obj) {
		if (bpf_map__is_internal(map))
			continue;
		int fd = bpf_object__find_map_fd_by_name(from, bpf_map__name(map));

		if (fd >= 0 && bpf_map__reuse_fd(map, fd))
			fail("sharing a map", errno);
	}
	bpf_object__for_each_program(prog, obj)
		bpf_program__set_autoload(prog,
					  std::find(only.begin(), only.end(), prog) != only.end());
}

/* What CO-RE is told of a kernel before 5.18, which is all that the program asks for: XDP knows no
 * fragments there, and no call that came with them. A file to be closed.
 */
int types_before_fragments()
{
	btf *types = btf__new_empty();
	int file = memfd_create("types", MFD_CLOEXEC);
	const void *bytes;
	__u32 size = 0;

	btf__add_enum(types, "bpf_func_id", 4);
	btf__add_enum_value(types, "BPF_FUNC_for_each_map_elem", 164);
	bytes = btf__raw_data(types, &size);
	if (!bytes || write(file, bytes, size) != ssize_t(size))
		fail("writing the types of a kernel", errno);
	btf__free(types);
	return file;
}

/* Fragments are of kernels from 5.18 on. */
rxaqm *open_xdp(int types)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	const std::string path = "/proc/self/fd/" + std::to_string(types);
	bpf_program *prog;

	if (types >= 0)
		opts.btf_custom_path = path.c_str();
	rxaqm *xdp = rxaqm__open_opts(&opts);

	if (xdp && types < 0)
		bpf_object__for_each_program(prog, xdp->obj)
			bpf_program__set_flags(prog, BPF_F_XDP_HAS_FRAGS);
	return xdp;
}

template<typename T> T *map_memory(bpf_map *map)
{
	size_t bytes = sizeof(T) * bpf_map__max_entries(map);
	void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (data == MAP_FAILED)
		fail("mapping " + std::string(bpf_map__name(map)), errno);
	return static_cast<T *>(data);
}

template<typename T> void unmap(T *data, size_t entries)
{
	if (data)
		munmap(data, entries * sizeof(T));
}

} /* namespace */

void fail(const std::string &what, int err)
{
	throw std::runtime_error(what + ": " + strerror(err < 0 ? -err : err));
}

uint64_t now_ns()
{
	timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return uint64_t(ts.tv_sec) * SEC + uint64_t(ts.tv_nsec);
}

Plane::Plane(const PlaneConfig &config)
	: config_(config)
{
	cpu_set_t cpus;

	if (geteuid())
		SKIP("BPF programs are loaded by root");
	if (!getenv("RXAQM_DEBUG"))
		libbpf_set_print(nullptr);
	/* Notes are per CPU. */
	cpu_ = sched_getcpu();
	CPU_ZERO(&cpus);
	CPU_SET(size_t(cpu_), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);

	netns_ = std::make_unique<Netns>();
	netns_->ip("link add dev queues numrxqueues 16 numtxqueues 16 type veth peer name peer");
	ifindex_ = netns_->ifindex("queues");
	own_netns_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	its_netns_ = open(("/run/netns/" + netns_->name()).c_str(), O_RDONLY | O_CLOEXEC);
	if (own_netns_ < 0 || its_netns_ < 0)
		fail("network namespace", errno);

	const int types = config.no_fragments ? types_before_fragments() : -1;

	xdp_ = open_xdp(types);
	poll_ = poll_run__open();
	stamp_ = stamp_run__open();
	if (!xdp_ || !poll_ || !stamp_)
		fail("opening the programs", errno);
	unpin(xdp_->obj);
	xdp_->rodata->config = { config.iface,
				 config.queue_base,
				 config.nr_queues,
				 config.ring_entries,
				 config.by_cpu,
				 config.no_sockets,
				 {} };
	std::copy_n(packets::flow_key(config.flow_seed).begin(), RXAQM_FLOW_KEY,
		    xdp_->rodata->config.flow_key);
	if (config.no_sockets)
		bpf_map__set_type(xdp_->maps.xsk_map, BPF_MAP_TYPE_ARRAY);
	bpf_program__set_autoload(xdp_->progs.rxaqm_bare, config.bare);
	bpf_program__set_autoload(xdp_->progs.rxaqm_generic, config.generic);
	if (int err = rxaqm__load(xdp_))
		fail("loading the XDP program", err);
	if (types >= 0)
		close(types);
	if (config.hint)
		load_hint(xdp_->rodata->config);
	join(poll_->obj, xdp_->obj, { poll_->progs.run_poll });
	join(stamp_->obj, xdp_->obj, { stamp_->progs.run_stamp, stamp_->progs.run_generic });
	if (int err = poll_run__load(poll_))
		fail("loading napi_poll", err);
	if (int err = stamp_run__load(stamp_))
		fail("loading rx_stamp", err);

	ifaces_ = map_memory<rxaqm_iface>(xdp_->maps.iface_map);
	policies_ = map_memory<rxaqm_policy>(xdp_->maps.policy_map);
	queues_ = map_memory<rxaqm_queue>(xdp_->maps.queue_map);
	clocks_ = map_memory<rxaqm_clock_entry>(xdp_->maps.clock_est_map);
	phcs_ = map_memory<rxaqm_clock_phc>(xdp_->maps.clock_phc_map);
	waits_ = map_memory<rxaqm_wait>(xdp_->maps.wait_map);

	iface().state = RXAQM_IFACE_ATTACHED;
	iface().flags = (config.by_cpu ? RXAQM_IFACE_BY_CPU : 0) |
			(config.by_work ? RXAQM_IFACE_BY_WORK : 0) |
			(config.generic ? RXAQM_IFACE_GENERIC : 0) |
			(config.hint ? RXAQM_IFACE_HINT : 0);
	iface().queue_base = config.queue_base;
	iface().nr_queues = config.nr_queues;
	iface().stamp = RXAQM_STAMP_TSTAMP;
	set_policy(simple_policy());
}

void Plane::load_hint(const rxaqm_xdp_config &config)
{
	hint_ = hint_run__open();
	if (!hint_)
		fail("opening the hint program", errno);
	hint_->rodata->config = config;
	join(hint_->obj, xdp_->obj, { hint_->progs.rxaqm_hint });
	if (int err = hint_run__load(hint_))
		fail("loading the hint program", err);
}

Plane::~Plane()
{
	cpu_set_t cpus;

	unmap(ifaces_, RXAQM_MAX_IFACES);
	unmap(policies_, 2 * RXAQM_MAX_QUEUES);
	unmap(queues_, RXAQM_MAX_QUEUES);
	unmap(clocks_, RXAQM_MAX_IFACES);
	unmap(phcs_, RXAQM_MAX_IFACES);
	unmap(waits_, RXAQM_MAX_QUEUES);
	close_socket();
	stamp_run__destroy(stamp_);
	poll_run__destroy(poll_);
	hint_run__destroy(hint_);
	rxaqm__destroy(xdp_);
	close(own_netns_);
	close(its_netns_);
	memset(&cpus, 0xff, sizeof(cpus));
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

Out Plane::run_split(const packets::Bytes &packet, size_t linear, unsigned queue)
{
	packets::Bytes out(packet.size() + 256);
	xdp_md ctx = {}, ctx_out = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	bpf_program *prog;
	int err;

	ctx.data_end = __u32(linear);
	ctx.ingress_ifindex = ifindex_;
	ctx.rx_queue_index = queue;
	opts.data_in = packet.data();
	opts.data_size_in = __u32(packet.size());
	opts.data_out = out.data();
	opts.data_size_out = __u32(out.size());
	opts.ctx_in = &ctx;
	opts.ctx_size_in = sizeof(ctx);
	opts.ctx_out = &ctx_out;
	opts.ctx_size_out = sizeof(ctx_out);
	prog = config_.bare    ? xdp_->progs.rxaqm_bare :
	       config_.generic ? xdp_->progs.rxaqm_generic :
				 xdp_->progs.rxaqm_xdp;
	if (hint_)
		prog = hint_->progs.rxaqm_hint;
	if (setns(its_netns_, CLONE_NEWNET))
		fail("setns", errno);
	err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
	if (setns(own_netns_, CLONE_NEWNET))
		fail("setns", errno);
	if (err && linear < packet.size())
		SKIP("this kernel's BPF_PROG_RUN takes no packet of less linear bytes than its own");
	if (err)
		fail("BPF_PROG_RUN", err);
	out.resize(opts.data_size_out);
	auto data = out.begin() + ctx_out.data;
	return { opts.retval, { data, out.end() }, { out.begin(), data } };
}

std::optional<rxaqm_meta> Out::meta() const
{
	rxaqm_meta meta;

	if (front.size() < sizeof(meta))
		return {};
	memcpy(&meta, &*(front.end() - sizeof(meta)), sizeof(meta));
	return meta;
}

void Plane::put_socket(unsigned queue)
{
	__u32 index = config_.queue_base + queue;
	int entries = 64;

	if (socket_ < 0) {
		socket_ = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
		/* Some kernels take none without an Rx ring. */
		if (socket_ < 0 ||
		    setsockopt(socket_, SOL_XDP, XDP_RX_RING, &entries, sizeof(entries)))
			fail("an AF_XDP socket", errno);
	}
	if (bpf_map_update_elem(bpf_map__fd(xdp_->maps.xsk_map), &index, &socket_, BPF_ANY))
		fail("putting a socket into xsk_map", errno);
}

void Plane::close_socket()
{
	if (socket_ >= 0)
		close(socket_);
	socket_ = -1;
}

void Plane::publish(uint64_t wait_ns, unsigned queue)
{
	wait(queue).wait_ns = wait_ns;
	wait(queue).updated_ns = now_ns();
}

void Plane::look(unsigned n)
{
	queue(n).flags &= ~RXAQM_QUEUE_IDLE;
}

void Plane::run_tracing(int prog_fd, const uint64_t *args, size_t bytes)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	opts.ctx_in = args;
	opts.ctx_size_in = __u32(bytes);
	err = bpf_prog_test_run_opts(prog_fd, &opts);
	if (err)
		fail("BPF_PROG_RUN of a tracing program", err);
}

void Plane::end_poll(int work, int budget, uint64_t napi)
{
	const uint64_t args[] = { napi, uint64_t(work), uint64_t(budget) };

	run_tracing(bpf_program__fd(poll_->progs.run_poll), args, sizeof(args));
}

void Plane::stamp_of(unsigned ifindex, uint64_t tstamp_ns, uint64_t hwtstamp_ns, unsigned tx_flags)
{
	const uint64_t args[] = { ifindex, tstamp_ns, hwtstamp_ns, tx_flags };

	run_tracing(bpf_program__fd(stamp_->progs.run_stamp), args, sizeof(args));
}

void Plane::hint(uint64_t hw_ns)
{
	hint_->bss->run_hint_ns = hw_ns;
}

uint64_t Plane::hints_asked() const
{
	return hint_->bss->run_hint_asked;
}

void Plane::generic_stamp(uint64_t tstamp_ns, unsigned ifindex, uint64_t hwtstamp_ns)
{
	const uint64_t args[] = { ifindex, tstamp_ns, hwtstamp_ns, 0 };

	run_tracing(bpf_program__fd(stamp_->progs.run_generic), args, sizeof(args));
}
