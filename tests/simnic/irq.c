// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt of a vector, which serves a queue pair or several: a function call on its "irq CPU"
 * that schedules NAPI there.
 *
 * armed is the interrupt's enable bit. Who turns it from 1 to 0 fires, and it stays masked until
 * NAPI has completed. Raising reads armed after the completion entry is visible, re-arming looks
 * for entries after armed is visible: one of the two sees the other, so no wake-up is lost.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>

#include "simnic.h"

static void irq_handler(void *arg)
{
	struct simnic_queue *q = arg;

	napi_schedule(&q->napi);
	/* The last access: who waits for zero may free the NAPI. */
	atomic_dec_return_release(&q->irq_flying);
}

static void irq_fire(struct simnic_queue *q)
{
	int cpu = READ_ONCE(q->irq_cpu);

	atomic_inc(&q->irq_flying);
	/* An irq CPU that went offline is like an interrupt moved to another CPU. */
	if (!cpu_online(cpu) || smp_call_function_single_async(cpu, &q->csd))
		irq_handler(q);
}

static enum hrtimer_restart irq_moderated(struct hrtimer *timer)
{
	irq_fire(container_of(timer, struct simnic_queue, moderation));
	return HRTIMER_NORESTART;
}

void simnic_irq_raise(struct simnic_queue *q)
{
	u32 usecs;

	q = q->vector;
	smp_mb(); /* entry before armed; pairs with simnic_irq_rearm() */
	if (!READ_ONCE(q->armed) || !xchg(&q->armed, 0))
		return;
	usecs = READ_ONCE(q->sn->rx_usecs);
	if (usecs)
		hrtimer_start(&q->moderation, ns_to_ktime((u64)usecs * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_HARD);
	else
		irq_fire(q);
}

static bool entries_pending(const struct simnic_queue *vector)
{
	u32 i, rings = simnic_rings(vector);

	for (i = 0; i < rings; i++) {
		const struct simnic_cq *cq = vector[i].cq;

		if (READ_ONCE(cq[0].prod) != cq[0].cons || READ_ONCE(cq[1].prod) != cq[1].cons)
			return true;
	}
	return false;
}

/* NAPI has completed: unmask. */
void simnic_irq_rearm(struct simnic_queue *q)
{
	bool pending;

	WRITE_ONCE(q->armed, 1);
	smp_mb(); /* armed before entries; pairs with simnic_irq_raise() */
	pending = entries_pending(q);
	if (pending && xchg(&q->armed, 0))
		napi_schedule(&q->napi);
}

/* NAPI has completed with work left, because its interrupt belongs to another CPU now. */
void simnic_irq_move(struct simnic_queue *q)
{
	irq_fire(q);
}

void simnic_irq_init(struct simnic_queue *q)
{
	INIT_CSD(&q->csd, irq_handler, q);
	atomic_set(&q->irq_flying, 0);
	simnic_hrtimer_setup(&q->moderation, irq_moderated, HRTIMER_MODE_REL_HARD);
}

/* No handler runs or will run; nobody may raise any more. */
void simnic_irq_quiesce(struct simnic_queue *q)
{
	WRITE_ONCE(q->armed, 0);
	hrtimer_cancel(&q->moderation);
	while (atomic_read_acquire(&q->irq_flying))
		usleep_range(20, 100);
}
