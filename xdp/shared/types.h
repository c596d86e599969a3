/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The types and units every rxaqm header builds on. The headers in this
 * directory compile as BPF (clang -target bpf), C (gnu11) and C++ (17).
 */
#ifndef RXAQM_TYPES_H
#define RXAQM_TYPES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
#define RXAQM_ASSERT_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#else
#define RXAQM_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

/* Packet-path code that must not cost a BPF call. */
#define rxaqm_always_inline static inline __attribute__((always_inline))

/* Before a loop: its code is there once. */
#ifdef __bpf__
#define RXAQM_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define RXAQM_ROLLED
#endif

/* Packet-path code that is seldom run and branches: a BPF function that the verifier walks once,
 * and not for every state that it may be called in. Pointers may be NULL there; the result is an
 * int.
 */
#ifdef __bpf__
#define rxaqm_global __attribute__((noinline))
#else
#define rxaqm_global static inline
#endif

/* Zero @bytes, a multiple of 8. A loop: the compiler would make it a store for each 8. */
rxaqm_always_inline void rxaqm_zero(void *p, __u32 bytes)
{
	__u64 *word = (__u64 *)p;
	__u32 i;

	for (i = 0; i < bytes / sizeof(*word); i++) {
		word[i] = 0;
		__asm__ volatile("" ::: "memory");
	}
}

#define RXAQM_NSEC_PER_USEC 1000ULL
#define RXAQM_NSEC_PER_MSEC 1000000ULL
#define RXAQM_NSEC_PER_SEC 1000000000ULL

/* Raised whenever the meaning or layout of anything pinned changes. */
#define RXAQM_ABI_VERSION 10

#define RXAQM_MAX_IFACES 64
#define RXAQM_MAX_QUEUES 4096

/* One plain access: the compiler may neither split, repeat nor drop it. */
#define RXAQM_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/* The compiler may not know what is in @var, so that a bound on it that follows is checked in
 * the very register that is then used: verifiers up to 6.1 lose it otherwise.
 */
#define RXAQM_HIDE(var) __asm__ volatile("" : "+r"(var))

#endif /* RXAQM_TYPES_H */
