// SPDX-License-Identifier: GPL-2.0-only
#include "host.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace fs = std::filesystem;

namespace
{

std::string from_environment(const char *name, const std::string &otherwise)
{
	const char *value = getenv(name);

	return fs::absolute(value && *value ? value : otherwise);
}

/* "status" takes two looks a second apart; few tests want its rates. */
Args with_short_look(Args args)
{
	const bool own = std::any_of(args.begin(), args.end(), [](const std::string &arg) {
		return arg.starts_with("-i") || arg.starts_with("--interval") || arg == "-j" ||
		       arg == "--json";
	});

	if (!args.empty() && args[0] == "status" && !own)
		args.push_back("--interval=10ms");
	return args;
}

} // namespace

std::string rxaqm_path()
{
	return from_environment("RXAQM_BIN", "build/rxaqm");
}

std::string build_path(const std::string &path)
{
	return from_environment("RXAQM_BUILD", "build") + "/" + path;
}

std::string source_path(const std::string &path)
{
	return fs::absolute(path);
}

Host::Host()
{
	if (geteuid())
		SKIP("needs root");
	if (access(rxaqm_path().c_str(), X_OK))
		throw std::runtime_error(rxaqm_path() + " is missing: run 'make'");
	std::string dir = "/tmp/rxaqm-t-" + std::to_string(getpid()) + "-XXXXXX";

	if (!mkdtemp(dir.data()))
		throw std::runtime_error("cannot make " + dir);
	bpffs_ = dir;
	if (mount("bpf", bpffs_.c_str(), "bpf", 0, "mode=0700")) {
		rmdir(bpffs_.c_str());
		SKIP("cannot mount a BPF file system");
	}
}

Host::~Host()
{
	rxaqm({ "detach", "--all" });
	umount2(bpffs_.c_str(), MNT_DETACH);
	rmdir(bpffs_.c_str());
	release_held();
}

void Host::release_held() const
{
	fs::remove_all(bpffs_ + "-state");
}

RunOptions Host::with_environment(RunOptions options) const
{
	/* A test's own settings come later and win. */
	Args ours = { "RXAQM_BPFFS=" + bpffs_, "LIBXDP_BPFFS=" + bpffs_,
		      "RXAQM_PROFILE_PATH=" +
			      from_environment("RXAQM_PROFILE_PATH",
					       "nic-profiles:tests/simnic/profiles"),
		      "STATE_DIRECTORY=" + bpffs_ + "-state", "LC_ALL=C",
		      /* Do not break lines, unless a test says so. */
		      "COLUMNS=10000" };

	for (const std::string &var : options.environment) {
		std::string name = var.substr(0, var.find('=') + 1);

		std::erase_if(ours, [&](const std::string &other) {
			return !other.compare(0, name.size(), name);
		});
	}
	options.environment.insert(options.environment.begin(), ours.begin(), ours.end());
	return options;
}

Result Host::rxaqm(Args args, RunOptions options) const
{
	args = with_short_look(std::move(args));
	args.insert(args.begin(), rxaqm_path());
	return run(args, with_environment(std::move(options)));
}

Args Host::command(const Netns &netns, const Args &args) const
{
	Args all = { rxaqm_path(), "--netns", netns.name() };

	all.insert(all.end(), args.begin(), args.end());
	return all;
}

Result Host::rxaqm(const Netns &netns, Args args, RunOptions options) const
{
	return run(command(netns, with_short_look(std::move(args))),
		   with_environment(std::move(options)));
}

Json Host::json(const Netns &netns, Args args) const
{
	args.push_back("--json");
	Result result = rxaqm(netns, args);

	if (result.exit_code || !result.err.empty())
		throw std::runtime_error(result.text());
	return Json(result.out);
}

int64_t Host::status_number(const Netns &netns, const std::string &ifname,
			    const std::string &at) const
{
	return json(netns, { "status", ifname }).number("/interfaces/0" + at);
}

int64_t Host::stat(const Netns &netns, const std::string &ifname, const std::string &name) const
{
	Json status = json(netns, { "status", ifname });
	int64_t sum = 0;

	for (size_t i = 0; i < status.size("/interfaces/0/queues"); i++)
		sum += status.number("/interfaces/0/queues/" + std::to_string(i) + "/stats/" +
				     name);
	return sum;
}

std::set<uint32_t> Host::note_maps()
{
	std::set<uint32_t> ids;
	std::error_code error;

	for (const auto &entry : fs::directory_iterator(state_dir(), error)) {
		struct bpf_map_info info = {};
		__u32 len = sizeof(info);
		int fd;

		if (entry.path().filename().string().find("_map") == std::string::npos)
			continue;
		fd = bpf_obj_get(entry.path().c_str());
		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len))
			ids.insert(info.id);
		close(fd);
	}
	maps_.insert(ids.begin(), ids.end());
	return ids;
}

std::set<std::string> Host::dispatchers() const
{
	std::set<std::string> names;
	std::error_code error;

	for (const auto &entry : fs::directory_iterator(bpffs_ + "/xdp", error))
		if (entry.path().filename().string().starts_with("dispatch-"))
			names.insert(entry.path().filename());
	return names;
}

bool Host::gone() const
{
	if (fs::exists(state_dir()) || !dispatchers().empty())
		return false;
	return eventually([&] {
		for (uint32_t id : maps_) {
			int fd = bpf_map_get_fd_by_id(id);

			if (fd >= 0) {
				close(fd);
				return false;
			}
		}
		return true;
	});
}

uint32_t xdp_on(const Netns &netns, const std::string &ifname)
{
	uint32_t id = 0;

	netns.enter([&] {
		LIBBPF_OPTS(bpf_xdp_query_opts, opts);
		unsigned index = netns.ifindex(ifname);

		if (!index || bpf_xdp_query(int(index), 0, &opts))
			throw std::runtime_error("cannot ask for XDP on " + ifname);
		id = opts.prog_id;
	});
	return id;
}

int load_foreign_xdp(int verdict)
{
	/* r0 = verdict; exit */
	const struct bpf_insn insns[] = {
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, verdict },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "foreign", "GPL", insns, 2, &opts);

	if (fd < 0)
		throw std::runtime_error("cannot load an XDP program");
	return fd;
}

uint32_t put_foreign_xdp(const Netns &netns, const std::string &ifname, int verdict, bool generic)
{
	const unsigned flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
	unsigned index = netns.ifindex(ifname);
	int err = 0, fd = load_foreign_xdp(verdict);

	netns.enter([&] { err = bpf_xdp_attach(int(index), fd, flags, nullptr); });
	close(fd);
	if (err)
		throw std::runtime_error("cannot attach an XDP program to " + ifname);
	return xdp_on(netns, ifname);
}

void xdp_off(const Netns &netns, const std::string &ifname)
{
	netns.ip("link set dev " + ifname + " xdp off");
}

void pin_map(const std::string &path)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "stray", 4, 4, 1, nullptr);

	REQUIRE(fd >= 0);
	REQUIRE(bpf_obj_pin(fd, path.c_str()) == 0);
	close(fd);
}
