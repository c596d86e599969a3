/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon/link.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "base/now.h"
#include "daemon/log.h"

#define RETRY_MIN_NS RXAQM_NSEC_PER_SEC
#define RETRY_MAX_NS (60 * RXAQM_NSEC_PER_SEC)
/* A message this soon after an attempt was caused by the attempt. */
#define ECHO_NS RXAQM_NSEC_PER_SEC

struct rxaqm_iface *rxaqm_link_iface(const struct rxaqm_link *link)
{
	const struct rxaqm_run *run = link->run;
	struct rxaqm_iface *iface;

	if (link->state != RXAQM_LINK_ATTACHED || link->slot < 0 || !run->state.meta)
		return NULL;
	iface = &run->state.iface[link->slot];
	if (RXAQM_READ_ONCE(iface->state) != RXAQM_IFACE_ATTACHED ||
	    iface->prog_id != link->prog_id || !rxaqm_iface_valid(iface))
		return NULL;
	return iface;
}

void rxaqm_run_forget(struct rxaqm_link *link)
{
	link->retry_ns = 0;
	free(link->complaint);
	link->complaint = NULL;
	free(link->kept);
	link->kept = NULL;
}

void rxaqm_run_forget_overload(struct rxaqm_link *link)
{
	free(link->overload);
	link->overload = NULL;
}

void rxaqm_run_attached(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	if (iface->prog_id != link->prog_id && !link->kept)
		rxaqm_run_forget_overload(link);
	rxaqm_detached_forget(link->name);
	link->state = RXAQM_LINK_ATTACHED;
	link->slot = (int)(iface - link->run->state.iface);
	link->prog_id = iface->prog_id;
	link->configure = false;
	link->reapply = false;
	rxaqm_run_forget(link);
}

int rxaqm_run_detach(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_error *error)
{
	int err;

	error->text[0] = '\0';
	err = rxaqm_detach(&link->run->state, iface, error);
	if (!err && error->text[0])
		rxaqm_link_log(link, LOG_WARNING, "%s", error->text);
	return err;
}

void rxaqm_run_release(struct rxaqm_link *link, const char *why)
{
	rxaqm_link_log(link, LOG_WARNING, "%s; stays so until the configuration is read again",
		       why);
	link->state = RXAQM_LINK_RELEASED;
	link->slot = -1;
}

void rxaqm_run_try_again(struct rxaqm_link *link, __u64 after_ns)
{
	link->due_ns = rxaqm_now_ns() + after_ns;
	link->due_at = time(NULL) + (time_t)(after_ns / RXAQM_NSEC_PER_SEC);
	rxaqm_run_sync_by(link->run, link->due_ns);
}

/* If the kernel or the NIC lacks a feature, trying again does not help. Where all room is taken,
 * who came first keeps it, and a "detach --all" is no invitation to those who came late. Any other
 * failure may pass.
 */
static bool is_final(const struct rxaqm_error *error)
{
	return error->err == EUSERS ||
	       (error->exit_code == RXAQM_EXIT_UNSUPPORTED &&
		(error->err == EOPNOTSUPP || /* the next two come from the verifier */
		 error->err == EACCES || error->err == E2BIG));
}

void rxaqm_run_failed(struct rxaqm_link *link, const struct rxaqm_error *error)
{
	link->state = RXAQM_LINK_FAILED;
	link->slot = -1;
	/* It was removed or renamed meanwhile: the kernel's message about that will come. */
	if (if_nametoindex(link->name) != link->ifindex) {
		link->run->rescan = true;
		rxaqm_run_try_again(link, RXAQM_RUN_LOCKED_NS);
		return;
	}
	link->tried_ns = rxaqm_now_ns();
	link->retry_ns = link->retry_ns ? 2 * link->retry_ns : RETRY_MIN_NS;
	if (link->retry_ns > RETRY_MAX_NS)
		link->retry_ns = RETRY_MAX_NS;
	if (!link->complaint || strcmp(link->complaint, error->text)) {
		rxaqm_link_event(link, -1, RXAQM_LOG_FAILED, LOG_ERR,
				 "%s; tried again %swhen the interface changes", error->text,
				 is_final(error) ? "" : "1s to 60s later, and ");
		free(link->complaint);
		link->complaint = strdup(error->text);
	}
	if (!is_final(error))
		rxaqm_run_try_again(link, link->retry_ns);
}

void rxaqm_run_changed(struct rxaqm_link *link)
{
	__u64 now_ns = rxaqm_now_ns(), due_ns = link->tried_ns + link->retry_ns / 2;

	if (link->state != RXAQM_LINK_FAILED || rxaqm_ns_since(now_ns, link->tried_ns) < ECHO_NS)
		return;
	if (!rxaqm_ns_after(due_ns, now_ns))
		due_ns = now_ns + RXAQM_RUN_LOCKED_NS;
	if (link->due_ns && !rxaqm_ns_after(link->due_ns, due_ns))
		return;
	rxaqm_link_log(link, LOG_INFO, "has changed, which is a reason to try again");
	rxaqm_run_try_again(link, due_ns - now_ns);
}
