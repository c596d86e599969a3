// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The end of a poll, for BPF_PROG_RUN, which runs raw tracepoint programs but no tp_btf ones.
 * Arguments as of napi:napi_poll; the NAPI instance may be any number.
 */
#include "../../kprobes/napi_poll.bpf.c"

SEC("raw_tp/napi_poll")
int run_poll(__u64 *args)
{
	return ____napi_poll(args, (struct napi_struct *)args[0], (int)args[1], (int)args[2]);
}
