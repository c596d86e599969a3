// SPDX-License-Identifier: GPL-2.0-only
#include "bpf_objects.hpp"

#include <bpf/bpf.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "process.hpp"

namespace
{

/* Call @each with a descriptor of each object; one that disappears meanwhile is skipped. */
template<typename Info, typename Each>
void for_each_object(int (*next)(__u32, __u32 *), int (*get_fd)(__u32), Each each)
{
	__u32 id = 0;

	while (!next(id, &id)) {
		Info info = {};
		__u32 len = sizeof(info);
		int fd = get_fd(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len))
			each(info);
		close(fd);
	}
}

bool of_our_kind(const struct bpf_prog_info &info)
{
	switch (info.type) {
	case BPF_PROG_TYPE_XDP:
	case BPF_PROG_TYPE_EXT:
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_SOCKET_FILTER: /* libbpf's feature probes */
		return true;
	default:
		return false;
	}
}

} // namespace

std::set<std::string> bpf_objects()
{
	std::set<std::string> all;
	auto add = [&](const char *kind, __u32 id, const std::string &name) {
		all.insert(std::string(kind) + " " + std::to_string(id) + " " + name);
	};

	for_each_object<bpf_prog_info>(bpf_prog_get_next_id, bpf_prog_get_fd_by_id,
				       [&](const bpf_prog_info &info) {
					       if (of_our_kind(info))
						       add("prog", info.id, info.name);
				       });
	for_each_object<bpf_map_info>(bpf_map_get_next_id, bpf_map_get_fd_by_id,
				      [&](const bpf_map_info &info) {
					      add("map", info.id, info.name);
				      });
	for_each_object<bpf_link_info>(bpf_link_get_next_id, bpf_link_get_fd_by_id,
				       [&](const bpf_link_info &info) {
					       if (info.type != BPF_LINK_TYPE_CGROUP)
						       add("link", info.id,
							   "of " + std::to_string(info.prog_id));
				       });
	for_each_object<bpf_btf_info>(bpf_btf_get_next_id, bpf_btf_get_fd_by_id,
				      [&](const bpf_btf_info &info) {
					      if (!info.kernel_btf)
						      add("btf", info.id, "");
				      });
	return all;
}

std::set<std::string> new_bpf_objects(const std::set<std::string> &before)
{
	std::set<std::string> now = bpf_objects(), left, still;

	std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
			    std::inserter(left, left.end()));
	/* Objects that appear later belong to somebody else. */
	eventually(
		[&] {
			now = bpf_objects();
			still.clear();
			std::set_intersection(left.begin(), left.end(), now.begin(), now.end(),
					      std::inserter(still, still.end()));
			left.swap(still);
			return left.empty();
		},
		std::chrono::seconds(60));
	return left;
}
