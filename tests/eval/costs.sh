# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # sourced by run.sh, which sets the variables
#
# What the CPU of the model takes for what the host receives and sends, and whether the emulated one
# kept pace with it. To be sourced.
#
#   set_costs PROFILE COST_NS   once the pair is built: PROFILE is driver or stack; COST_NS is what
#                               a packet takes, with stack one of stack_ratio packets an skb
#   check_pace                  after 'snapshot end': the run fails if the emulated CPU fell behind
#   check_client                the same: if the client's CPU, which has no model, had no time left
#   interleave                  once the pair is built: senders space their packets, so that those
#                               of several flows take turns, as they do behind a switch

# Packets an skb after GRO at which a packet costs the same in both profiles: what 24 DCTCP and 8
# CUBIC flows have with nothing, once slow start's bursts are over.
readonly stack_ratio=2
# By how much of the window the emulated CPU may be behind, and how much of it the client's CPU
# idles at least, in %.
readonly most_behind=2 least_idle=3

set_costs()
{
	local packet_ns=$2 skb_ns=0

	case $1 in
	driver) ;;
	stack)
		# A third by packet, two thirds by skb.
		packet_ns=$(($2 / 3))
		skb_ns=$(($2 * 2 * stack_ratio / 3))
		;;
	*) eval_die "no profile '$1': it is driver or stack" 2 ;;
	esac
	set_nic "$host_if" rx_cost_ns "$packet_ns"
	set_nic "$host_if" rx_skb_ns "$skb_ns"
	set_nic "$host_if" pace 1
}

check_pace()
{
	local from to

	read -r _ from <"$dir/begin-truth.txt"
	read -r _ to <"$dir/end-truth.txt"
	awk -v most="$most_behind" -v seconds="$to $from" '
		$1 == "model_lost_ns:" { lost[FNR == NR] = $2; n++ }
		END {
			split(seconds, at, " ")
			behind = (lost[0] - lost[1]) / 1e7 / (at[1] - at[2])
			if (n != 2)
				print "the NIC does not tell whether the emulated CPU kept pace"
			else if (behind > most)
				printf "the emulated CPU could not keep pace: it fell behind by %.1f %% of the window, " \
					"over %d %%: the scenario needs a higher cost\n", behind, most
			exit n != 2 || behind > most
		}' "$dir/begin-nic.txt" "$dir/end-nic.txt" >&2
}

# A flood spins until its next packet is due: such a CPU is never idle, and has time for others.
check_client()
{
	awk -v cpu="cpu$client_cpu" -v least="$least_idle" -v spins="${scenario_has[udp]}${scenario_has[flood]}" '
		$1 == cpu { for (i = 2; i <= 9; i++) all[FNR == NR] += $i; idle[FNR == NR] = $5 + $6; n++ }
		END {
			if (n != 2 || all[0] <= all[1]) {
				print "the kernel does not tell how long the client'"'"'s CPU was idle" >"/dev/stderr"
				exit 1
			}
			share = 100 * (idle[0] - idle[1]) / (all[0] - all[1])
			printf "%.2f\n", share
			if (share >= least || spins)
				exit 0
			printf "the client'"'"'s CPU was idle for %.1f %% of the window, under %d %%: it limits the run, " \
				"which needs a higher cost or a slower wire\n", share, least >"/dev/stderr"
			exit 1
		}' "$dir"/{begin,end}-stat.txt >"$dir/client-idle.txt"
}

interleave()
{
	[[ -z ${scenario_has[rtt]} ]] ||
		eval_die "a scenario has rtt or interleave: both are the client's qdisc" 2
	[[ -e /sys/module/sch_fq ]] || modprobe sch_fq
	in_client ethtool -K "$client_if" tso off gso off
	in_client tc qdisc replace dev "$client_if" root fq limit 20000 flow_limit 20000
}
