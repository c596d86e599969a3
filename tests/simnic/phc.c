// SPDX-License-Identifier: GPL-2.0-only
/* The clock of the NIC, and who gets a timestamp from it. */
#include <linux/math64.h>
#include <linux/uaccess.h>

#include "simnic.h"

#define PHC_MAX_ADJ_PPB 10000000
#define PHC_MAX_DRIFT_PPB 1000000

/* Consistent for all fields if read under seq or lock. */
static u64 phc_convert(const struct simnic_phc *phc, u64 mono_ns)
{
	s64 since_ns = mono_ns - phc->base_mono_ns; /* negative just after a change */
	u64 correction_ns = mul_u64_u64_shr(abs(since_ns), abs(phc->rate), 48);
	bool slower = (since_ns < 0) != (phc->rate < 0);

	return phc->base_phc_ns + since_ns + (slower ? -correction_ns : correction_ns);
}

u64 simnic_phc_at(const struct simnic_phc *phc, u64 mono_ns)
{
	unsigned int seq;
	u64 phc_ns;

	do {
		seq = read_seqcount_begin(&phc->seq);
		phc_ns = phc_convert(phc, mono_ns);
	} while (read_seqcount_retry(&phc->seq, seq));
	return phc_ns;
}

static s64 phc_rate(s32 drift_ppb, long scaled_ppm)
{
	/* 2^48 / 10^9 = 2^39 / 1953125, and scaled_ppm is in 2^-16 ppm. */
	return div_s64((s64)drift_ppb * (1LL << 39), 1953125) +
	       div_s64((s64)scaled_ppm * (1LL << 32), 1000000);
}

/* Go on from what the clock shows at @mono_ns, plus @step_ns, at the present rate settings. */
static void phc_rebase(struct simnic_phc *phc, u64 mono_ns, s64 step_ns)
{
	u64 phc_ns = phc_convert(phc, mono_ns) + step_ns;

	write_seqcount_begin(&phc->seq);
	phc->base_phc_ns = phc_ns;
	phc->base_mono_ns = mono_ns;
	phc->rate = phc_rate(phc->drift_ppb, phc->scaled_ppm);
	write_seqcount_end(&phc->seq);
}

void simnic_phc_step(struct simnic_phc *phc, s64 delta_ns)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&phc->lock, flags);
	phc_rebase(phc, ktime_get_ns(), delta_ns);
	raw_spin_unlock_irqrestore(&phc->lock, flags);
}

/* Let the clock show @phc_ns at @mono_ns. */
void simnic_phc_set(struct simnic_phc *phc, u64 phc_ns, u64 mono_ns)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&phc->lock, flags);
	phc_rebase(phc, mono_ns, phc_ns - phc_convert(phc, mono_ns));
	raw_spin_unlock_irqrestore(&phc->lock, flags);
}

int simnic_phc_set_drift(struct simnic_phc *phc, s32 drift_ppb)
{
	unsigned long flags;

	if (abs((s64)drift_ppb) > PHC_MAX_DRIFT_PPB)
		return -EINVAL;
	raw_spin_lock_irqsave(&phc->lock, flags);
	phc->drift_ppb = drift_ppb;
	phc_rebase(phc, ktime_get_ns(), 0);
	raw_spin_unlock_irqrestore(&phc->lock, flags);
	return 0;
}

static struct simnic_phc *phc_of(struct ptp_clock_info *info)
{
	return container_of(info, struct simnic_phc, info);
}

static int phc_adjfine(struct ptp_clock_info *info, long scaled_ppm)
{
	struct simnic_phc *phc = phc_of(info);
	unsigned long flags;

	raw_spin_lock_irqsave(&phc->lock, flags);
	phc->scaled_ppm = scaled_ppm;
	phc_rebase(phc, ktime_get_ns(), 0);
	raw_spin_unlock_irqrestore(&phc->lock, flags);
	return 0;
}

static int phc_adjtime(struct ptp_clock_info *info, s64 delta_ns)
{
	simnic_phc_step(phc_of(info), delta_ns);
	return 0;
}

static int phc_gettimex64(struct ptp_clock_info *info, struct timespec64 *ts,
			  struct ptp_system_timestamp *sts)
{
	u64 mono_ns;

	ptp_read_system_prets(sts);
	mono_ns = ktime_get_ns();
	ptp_read_system_postts(sts);
	*ts = ns_to_timespec64(simnic_phc_at(phc_of(info), mono_ns));
	return 0;
}

static int phc_settime64(struct ptp_clock_info *info, const struct timespec64 *ts)
{
	simnic_phc_set(phc_of(info), timespec64_to_ns(ts), ktime_get_ns());
	return 0;
}

/* Exact, for the PHC is a function of MONOTONIC. */
static int phc_getcrosststamp(struct ptp_clock_info *info, struct system_device_crosststamp *xt)
{
	u64 mono_ns;
	int err = simnic_snapshot(xt, &mono_ns);

	if (err)
		return err;
	xt->device = ns_to_ktime(simnic_phc_at(phc_of(info), mono_ns));
	return 0;
}

int simnic_phc_init(struct simnic *sn)
{
	struct simnic_phc *phc = &sn->phc;

	raw_spin_lock_init(&phc->lock);
	seqcount_raw_spinlock_init(&phc->seq, &phc->lock);
	/* As many NICs do, begin with the time of day. */
	simnic_phc_set(phc, ktime_get_real_ns(), ktime_get_ns());
	phc->info = (struct ptp_clock_info){
		.owner = THIS_MODULE,
		.max_adj = PHC_MAX_ADJ_PPB,
		.adjfine = phc_adjfine,
		.adjtime = phc_adjtime,
		.gettimex64 = phc_gettimex64,
		.settime64 = phc_settime64,
		.getcrosststamp = phc_getcrosststamp,
	};
	snprintf(phc->info.name, sizeof(phc->info.name), "simnic %s", sn->name);
	phc->clock = ptp_clock_register(&phc->info, &sn->pdev->dev);
	if (!phc->clock)
		return -EOPNOTSUPP; /* a kernel without PTP clocks */
	return PTR_ERR_OR_ZERO(phc->clock);
}

void simnic_phc_exit(struct simnic *sn)
{
	if (!IS_ERR_OR_NULL(sn->phc.clock))
		ptp_clock_unregister(sn->phc.clock);
}
