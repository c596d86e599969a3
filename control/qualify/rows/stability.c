/* SPDX-License-Identifier: GPL-2.0-only */
/* Q7: how far the clock drifts and wanders, and whether it is stepped. */
#include <math.h>
#include <stdlib.h>

#include "base/now.h"
#include "clock/phc.h"
#include "qualify/rows/row.h"

#define STABILITY_READS 200
#define STABILITY_GAP_MS 25
#define STEP_LEAST_NS 1000.0

struct course {
	double host_s[STABILITY_READS], x_ns[STABILITY_READS], err_ns[STABILITY_READS];
	size_t nr;
};

/* The median slope of readings @apart; with half the course this is Theil-Sen. */
static double slope_of(const struct course *course, size_t apart)
{
	double slope[STABILITY_READS] = {};
	size_t i, nr = course->nr - apart;
	struct qualify_samples slopes = { .at = slope, .nr = nr };

	for (i = 0; i < nr; i++)
		slope[i] = (course->x_ns[i + apart] - course->x_ns[i]) /
			   (course->host_s[i + apart] - course->host_s[i]);
	qualify_samples_sort(&slopes);
	return slopes.at[nr / 2];
}

/* Find and remove changes between readings that neither the rate nor their errors explain. */
static unsigned int find_steps(struct course *course, double slope, double *ret_largest_ns)
{
	double moved = 0;
	unsigned int nr = 0;
	size_t i;

	*ret_largest_ns = 0;
	for (i = 1; i < course->nr; i++) {
		double at = course->x_ns[i] + moved,
		       off = at - course->x_ns[i - 1] -
			     slope * (course->host_s[i] - course->host_s[i - 1]);
		double may = 2 * (course->err_ns[i] + course->err_ns[i - 1]) + STEP_LEAST_NS;

		if (fabs(off) > may) {
			nr++;
			moved -= off;
			at -= off;
			if (fabs(off) > fabs(*ret_largest_ns))
				*ret_largest_ns = off;
		}
		course->x_ns[i] = at;
	}
	return nr;
}

static void put_allan(const struct course *course, struct qualify_row *row)
{
	double tau0 = STABILITY_GAP_MS / 1e3, mean_err = 0;
	struct qualify_figure *figure;
	struct rxaqm_curve *curve;
	size_t m, i, second = (size_t)(1 / tau0);

	for (i = 0; i < course->nr; i++)
		mean_err += course->err_ns[i] / (double)course->nr;
	figure = qualify_figure_add(row, "adev_1s", "",
				    "overlapping Allan deviation against CLOCK_MONOTONIC, without "
				    "steps; it has the reading error in it");
	qualify_figure_number(figure,
			      qualify_allan_ppb(course->x_ns, course->nr, tau0, second) / 1e9,
			      course->nr - 2 * second, mean_err * 1e-9);
	curve = qualify_curve_add(figure, "Allan deviation", "s", "");
	for (m = 1; 2 * m + 1 <= course->nr; m *= 2)
		qualify_curve_point(curve, tau0 * (double)m,
				    qualify_allan_ppb(course->x_ns, course->nr, tau0, m) / 1e9);
}

static void put_stability(struct course *course, struct qualify_row *row)
{
	/* Few neighbours have a step between them, so their median slope ignores steps. */
	double slope = slope_of(course, 1), largest_ns, span_s;
	unsigned int steps = find_steps(course, slope, &largest_ns);

	slope = slope_of(course, course->nr / 2);
	span_s = (course->host_s[course->nr - 1] - course->host_s[0]) / 2;
	qualify_put_number(row, "drift", "ppm", slope / 1e3, course->nr,
			   (course->err_ns[0] + course->err_ns[course->nr - 1]) / span_s / 1e3,
			   "rate against CLOCK_MONOTONIC, median of slopes over %.1f s", span_s);
	qualify_put_number(row, "steps", "count", steps, course->nr - 1, 0,
			   "readings %d ms apart whose errors and rate do not explain them",
			   STABILITY_GAP_MS);
	if (steps)
		qualify_put_number(row, "step_largest", "ns", largest_ns, 1, course->err_ns[0] * 2,
				   "the same");
	put_allan(course, row);
}

int qualify_row_phc_stability(struct qualify_run *run, struct qualify_row *row)
{
	struct course *course = calloc(1, sizeof(*course));
	struct rxaqm_phc_sample sample, first = {};
	__u64 next_ns;
	struct rxaqm_phc phc;
	int err = course ? rxaqm_phc_open(&phc, run->ifname, &run->error) : -ENOMEM, i;

	next_ns = rxaqm_now_ns();
	for (i = 0; !err && !*run->stop && i < STABILITY_READS; i++) {
		next_ns += STABILITY_GAP_MS * RXAQM_NSEC_PER_MSEC;
		rxaqm_sleep_until(next_ns);
		err = rxaqm_phc_read(&phc, &sample, &run->error);
		if (err == -EAGAIN) {
			err = 0;
			continue;
		}
		if (err)
			break;
		first = course->nr ? first : sample;
		course->host_s[course->nr] = (double)(sample.host_ns - first.host_ns) / 1e9;
		course->x_ns[course->nr] = (double)(__s64)(sample.phc_ns - first.phc_ns -
							   (sample.host_ns - first.host_ns));
		course->err_ns[course->nr++] = (double)sample.err_ns;
	}
	if (!err && course->nr < STABILITY_READS / 2)
		qualify_unknown(row,
				"only %zu of %d readings worked; keep other programs from the clock",
				course->nr, STABILITY_READS);
	else if (!err)
		put_stability(course, row);
	if (course)
		rxaqm_phc_close(&phc);
	free(course);
	return err;
}
