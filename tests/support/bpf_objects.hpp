/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF objects in the kernel, to check exactly that none is left behind. */
#ifndef RXAQM_TESTS_BPF_OBJECTS_HPP
#define RXAQM_TESTS_BPF_OBJECTS_HPP

#include <set>
#include <string>

/*
 * Programs, maps, links and BTF of the kinds that rxaqm and libxdp create, each as "prog 17
 * rxaqm_xdp". Other processes may create some as well; those that systemd attaches to control
 * groups are left out.
 */
std::set<std::string> bpf_objects();

/* The objects that are new since @before and do not go within a minute. */
std::set<std::string> new_bpf_objects(const std::set<std::string> &before);

#endif /* RXAQM_TESTS_BPF_OBJECTS_HPP */
