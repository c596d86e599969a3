/* SPDX-License-Identifier: GPL-2.0-only */
/* Can XDP programs of this kernel ask a driver for timestamps? */
#ifndef RXAQM_TESTS_HINTS_HPP
#define RXAQM_TESTS_HINTS_HPP

#include <catch2/catch_test_macros.hpp>

#include <bpf/btf.h>

inline bool kernel_has_hints()
{
	btf *btf = btf__load_vmlinux_btf();
	bool has = btf &&
		   btf__find_by_name_kind(btf, "bpf_xdp_metadata_rx_timestamp", BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

inline void need_hints()
{
	if (!kernel_has_hints())
		SKIP("this kernel has no bpf_xdp_metadata_rx_timestamp (it came with 6.3)");
}

#endif /* RXAQM_TESTS_HINTS_HPP */
