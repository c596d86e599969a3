/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status.h"

#include <string.h>
#include <sys/param.h>

#include "attach/hooks.h"
#include "base/now.h"
#include "base/parse.h"
#include "nic/nic.h"
#include "report/clock_out.h"

void rxaqm_status_look(struct rxaqm_status_view *view, const struct rxaqm_state *state,
		       const struct rxaqm_iface *iface, const struct rxaqm_looks *before)
{
	struct rxaqm_arrivals now;
	struct rxaqm_nic nic;

	*view = (struct rxaqm_status_view){
		.state = state, .iface = iface, .before = before, .nr_queues = iface->nr_queues
	};
	rxaqm_iface_name(iface, view->name, &view->here);
	view->trouble = rxaqm_status_trouble(iface, view->here);
	view->guarded = !rxaqm_status_unguarded(iface, view->here);
	if (!view->here)
		return;
	rxaqm_notes_look(state, iface, view->name, &view->facts);
	if (before) {
		/* What the driver has received and the program has lost since then. */
		rxaqm_arrivals_take(state, iface, view->name, &now);
		view->facts.unseen = rxaqm_arrivals_unseen(&before->iface[iface - state->iface],
							   &now);
	}
	if (iface->flags & RXAQM_IFACE_BY_CPU || rxaqm_nic_read(view->name, &nic, NULL))
		return;
	/* The daemon attaches with room for later ones. */
	view->nr_queues_now = nic.nr_rx_queues;
	view->nr_queues = MIN(nic.nr_rx_queues, iface->nr_queues);
}

/* Take the figures of queue @number, if it is to be told of. */
static bool take(const struct rxaqm_status_view *view, unsigned int number,
		 struct rxaqm_figures *figures)
{
	const struct rxaqm_queue *q = rxaqm_state_queue(view->state, view->iface, number);

	if (number < view->nr_queues ? !rxaqm_queue_shows(view->iface, q) :
				       !(q->flags & RXAQM_QUEUE_POLLED))
		return false;
	rxaqm_figures_take(view->state, view->iface, number, rxaqm_now_ns(), figures);
	return true;
}

static void add_standing(struct rxaqm_overview *overview, const struct rxaqm_status_view *view,
			 const struct rxaqm_figures *figures)
{
	rxaqm_overview_standing(overview, view->name, figures->number, figures->sojourn_ns,
				figures->mode == RXAQM_MODE_NOW_ENFORCE);
	if (figures->mode == RXAQM_MODE_NOW_OBSERVE && !overview->observed[0])
		strcpy(overview->observed, view->name);
}

static void queues_out(struct rxaqm_out *out, struct rxaqm_status_view *view, bool all,
		       struct rxaqm_overview *overview)
{
	unsigned int nr = view->iface->nr_queues, hidden = 0, told = 0, i;
	bool done[RXAQM_MAX_QUEUES] = {};
	struct rxaqm_figures figures;

	rxaqm_out_array(out, "queues");
	for (i = 0; i < nr; i++) {
		done[i] = !take(view, i, &figures);
		if (done[i])
			continue;
		told++;
		if (overview && figures.standing)
			add_standing(overview, view, &figures);
		if (!out->json && !figures.standing)
			continue;
		rxaqm_status_queue_out(out, view, &figures);
		done[i] = true;
	}
	for (i = 0; i < nr; i++) {
		if (done[i] || !take(view, i, &figures))
			continue;
		if (all || !rxaqm_figures_idle(&figures))
			rxaqm_status_queue_out(out, view, &figures);
		else
			hidden++;
	}
	rxaqm_out_end(out);
	rxaqm_hidden_print(out, hidden);
	if (view->nr_queues > told)
		rxaqm_out_text(out, "  %u queue%s had no packet yet\n", view->nr_queues - told,
			       view->nr_queues - told > 1 ? "s" : "");
}

/* Print what could be done about the length of the queues, by the first one measured. */
static void advice_out(struct rxaqm_out *out, const struct rxaqm_status_view *view)
{
	struct rxaqm_figures first;

	rxaqm_figures_take(view->state, view->iface, 0, rxaqm_now_ns(), &first);
	/* About the ring at attach; a note says that it has changed. */
	if (first.derived.advice[0] && !view->facts.outgrown)
		rxaqm_out_str(out, "ring_advice", "  %s\n", first.derived.advice);
}

/* Print how NIC time becomes host time; text only where packets are stamped. */
static void clock_out(struct rxaqm_out *out, const struct rxaqm_status_view *view)
{
	const struct rxaqm_state *state = view->state;
	size_t slot = (size_t)(view->iface - state->iface);

	if (out->json || view->iface->stamp != RXAQM_STAMP_NONE)
		rxaqm_clock_out(out, &state->clock[slot], &state->clock_phc[slot], rxaqm_now_ns());
}

/* Print the line of the interface. */
static void head_out(struct rxaqm_out *out, const struct rxaqm_status_view *view)
{
	const struct rxaqm_iface *iface = view->iface;

	rxaqm_out_paint(out, RXAQM_BOLD);
	rxaqm_out_str(out, "interface", "%s: ", view->name);
	if (view->trouble) {
		rxaqm_out_paint(out, RXAQM_RED);
		rxaqm_out_str(out, "trouble", "%s; ", view->trouble);
	}
	rxaqm_out_paint(out, RXAQM_PLAIN);
	rxaqm_out_bool(out, "guarded", NULL, NULL, view->guarded);
	rxaqm_out_str(out, "xdp_mode", "%s mode",
		      iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native");
	rxaqm_out_bool(out, "dispatcher", ", by dispatcher", NULL,
		       iface->flags & RXAQM_IFACE_DISPATCHER);
	rxaqm_out_str(out, "profile", ", profile %s", iface->profile);
	rxaqm_out_str(out, "hook", ", hook %s", rxaqm_hook_in_use(view->state->meta));
	rxaqm_out_str(out, "stamp", ", stamps: %s", rxaqm_iface_stamps(iface));
	rxaqm_out_str(out, "key", ", key %s", rxaqm_iface_key(iface));
	rxaqm_out_text(out, ", %llu %s%s", RXAQM_COUNTED(view->nr_queues, "queue"));
	rxaqm_out_u64(out, "nr_queues",
		      view->nr_queues < iface->nr_queues ? " (room for %llu)" : NULL,
		      iface->nr_queues);
	if (view->nr_queues_now)
		rxaqm_out_u64(out, "nr_queues_now", NULL, view->nr_queues_now);
	if (iface->ring_entries)
		rxaqm_out_u64(out, "ring_entries", " of %llu entries", iface->ring_entries);
	rxaqm_out_ns(out, "attached_for_ns", ", attached for %s\n",
		     rxaqm_ns_since(rxaqm_now_ns(), iface->attached_ns));
}

void rxaqm_status_out(struct rxaqm_out *out, struct rxaqm_status_view *view, bool all,
		      struct rxaqm_overview *overview)
{
	if (overview)
		rxaqm_overview_iface(overview, view->nr_queues, view->guarded ? NULL : view->name);
	rxaqm_out_object(out, NULL);
	head_out(out, view);
	advice_out(out, view);
	clock_out(out, view);
	rxaqm_notes_out(out, view->iface, view->name, view->here ? &view->facts : NULL);
	queues_out(out, view, all, overview);
	rxaqm_out_end(out);
}

void rxaqm_status_next(struct rxaqm_out *out, const struct rxaqm_overview *overview)
{
	/* Once: enforcing is tried before it is left on. */
	if (overview->observed[0])
		rxaqm_out_text(out, "\nnext: rxaqm trial %s (does enforcing help here?)\n",
			       overview->observed);
}
