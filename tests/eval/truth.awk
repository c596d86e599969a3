# SPDX-License-Identifier: GPL-2.0-only
# Blocks "at SECONDS" and a copy of simnic's `truth` each; counts only grow, but for a reset.
# Prints, as JSON, what came to all queues between each two: [seconds since `zero`, packets,
# p50, p99, max, packets over `target`], times in ns. With -v cdf=1 the distribution over all
# instead: [upper bound of a bucket, share of the packets up to it].

function flush(    i, total, seen, over, p50, p99, max, n, mid)
{
	if (!blocks++)
		return remember()
	total = 0
	for (i = 1; i <= nr; i++)
		total += now[low[i]]
	reset = total < last_total
	total = 0
	for (i = 1; i <= nr; i++) {
		n = now[low[i]] - (reset ? 0 : before[low[i]])
		diff[i] = n
		total += n
		all[low[i]] += n
		upper[low[i]] = high[i]
	}
	for (i = 1; i <= nr; i++) {
		n = diff[i]
		if (!n)
			continue
		mid = (low[i] + high[i] - 1) / 2
		if (seen < total / 2 && seen + n >= total / 2)
			p50 = mid
		if (seen < total * 0.99 && seen + n >= total * 0.99)
			p99 = mid
		if (low[i] >= target)
			over += n
		max = mid
		seen += n
	}
	if (!cdf)
		printf "%s[%.3f, %.0f, %.0f, %.0f, %.0f, %.0f]", rows++ ? ", " : "", time - zero, total, p50, p99, max, over
	remember()
}

function remember(    i)
{
	delete before
	last_total = 0
	for (i = 1; i <= nr; i++) {
		before[low[i]] = now[low[i]]
		last_total += now[low[i]]
	}
}

# Those of each queue come in ascending order.
function add(from, to, n,    i)
{
	if (from in now) {
		now[from] += n
		return
	}
	for (i = ++nr; i > 1 && low[i - 1] > from; i--) {
		low[i] = low[i - 1]
		high[i] = high[i - 1]
	}
	low[i] = from
	high[i] = to
	now[from] = n
}

# Buckets come in ascending order.
function distribution(    i, bound, total, seen)
{
	for (bound in all)
		total += all[bound]
	for (i = 0; i < 40 * 16; i++) {
		bound = i < 16 ? i : (16 + i % 16) * 2 ^ (int(i / 16) - 1)
		if (!all[bound])
			continue
		seen += all[bound]
		printf "%s[%.0f, %.6f]", rows++ ? ", " : "", upper[bound], seen / total
	}
}

BEGIN { printf "[" }
$1 == "at" {
	if (started)
		flush()
	started = 1
	time = $2
	nr = 0
	delete now
	next
}
$1 != "queue" { add($1 + 0, $2 + 0, $3) }
END {
	if (started)
		flush()
	if (cdf)
		distribution()
	print "]"
}
