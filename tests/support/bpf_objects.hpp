/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel holds of BPF: exact accounting of what is left behind. */
#ifndef RXAQM_TESTS_BPF_OBJECTS_HPP
#define RXAQM_TESTS_BPF_OBJECTS_HPP

#include <set>
#include <string>

/*
 * Programs, maps, links and BTF of the kinds that rxaqm and libxdp make, each as "prog 17
 * rxaqm_xdp". Others on the machine may make such things, too; what systemd attaches to control
 * groups is left out.
 */
std::set<std::string> bpf_objects();

/* Those that are there now, not in @before, and do not go within a minute. */
std::set<std::string> new_bpf_objects(const std::set<std::string> &before);

#endif /* RXAQM_TESTS_BPF_OBJECTS_HPP */
