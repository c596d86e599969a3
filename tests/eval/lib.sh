# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # who sources it uses the variables
#
# The scenarios and options of the evaluation, for the host and the guest. To be sourced.

eval_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
declare -A scenario_ini option_ini

eval_die()
{
	echo "eval: $1" >&2
	exit "${2-1}"
}

# read_ini FILE ARRAY KEY...: ARRAY[SECTION.KEY], and ARRAY[sections] in their order. Other keys
# are errors.
read_ini()
{
	local file=$1 section='' line key number=0
	local -n into=$2
	shift 2
	local keys=" $* "

	while IFS= read -r line || [[ -n $line ]]; do
		number=$((number + 1))
		[[ $line =~ ^[[:space:]]*(#.*)?$ ]] && continue
		if [[ $line =~ ^\[([a-z0-9_.-]+)\]$ ]]; then
			section=${BASH_REMATCH[1]}
			into["sections"]+="$section "
			continue
		fi
		[[ $line =~ ^([a-z]+)\ *=\ *(.*)$ && -n $section ]] ||
			eval_die "$file:$number: neither '[SECTION]' nor 'KEY = VALUE': $line" 2
		key=${BASH_REMATCH[1]}
		[[ $keys == *" $key "* ]] ||
			eval_die "$file:$number: unknown key '$key', there are:${keys% }" 2
		into[$section.$key]=${BASH_REMATCH[2]}
	done <"$file"
}

# inherit: what scenarios have that are like another, which comes before them.
inherit()
{
	local name like key

	for name in ${scenario_ini[sections]}; do
		like=${scenario_ini[$name.like]-}
		[[ -z $like || -v scenario_ini[$like.title] ]] ||
			eval_die "scenario '$name' is like '$like', which there is not" 2
		for key in ${like:+$scenario_keys}; do
			[[ " profiles profileoptions options quick runs " == *" $key "* || -v scenario_ini[$name.$key] ||
				! -v scenario_ini[$like.$key] ]] ||
				scenario_ini[$name.$key]=${scenario_ini[$like.$key]}
		done
	done
}

# add_profiles: NAME-PROFILE, behind NAME, for each more profile of cost that scenario NAME wants.
add_profiles()
{
	local name profile key sections=''

	for name in ${scenario_ini[sections]}; do
		sections+="$name "
		for profile in ${scenario_ini[$name.profiles]-}; do
			for key in $scenario_keys; do
				[[ $key == quick || ! -v scenario_ini[$name.$key] ]] ||
					scenario_ini[$name-$profile.$key]=${scenario_ini[$name.$key]}
			done
			scenario_ini[$name-$profile.profile]=$profile
			[[ $profile != stack ]] || scenario_ini[$name-$profile.aged]=yes
			scenario_ini[$name-$profile.options]=${scenario_ini[$name.profileoptions]-${scenario_ini[default.profileoptions]}}
			# Well merged, a packet costs a third: at the default cost one client could
			# not overload the host.
			if [[ $profile == stack && ! -v scenario_ini[$name.cost] ]]; then
				scenario_ini[$name-$profile.cost]=90000
				scenario_ini[$name-$profile.weight]=14
			fi
			scenario_ini[$name-$profile.title]="${scenario_ini[$name.title]} ($profile)"
			sections+="$name-$profile "
		done
	done
	scenario_ini[sections]=$sections
}

scenario_keys="title row flows direction shared gro path rtt tunnel cost weight ring udp tos flood run late step enforce
	pauses bursts round target interval settle window options quick runs profile profiles like
	interleave steady storage profileoptions rate aged"
option_keys="title ring queues ifb rxaqm"
# shellcheck disable=SC2086 # lists
read_ini "$eval_dir/scenarios" scenario_ini $scenario_keys
# shellcheck disable=SC2086
read_ini "$eval_dir/options" option_ini $option_keys
inherit
add_profiles

# of_scenario NAME KEY: its value, or the default.
of_scenario()
{
	echo "${scenario_ini[$1.$2]-${scenario_ini[default.$2]-}}"
}

of_option()
{
	echo "${option_ini[$1.$2]-}"
}

# use SCENARIO OPTION: their values in the arrays scenario_has and option_has, without a process
# each: those are slow in a guest.
declare -A scenario_has option_has
use()
{
	local key

	for key in $scenario_keys; do
		scenario_has[$key]=${scenario_ini[$1.$key]-${scenario_ini[default.$key]-}}
	done
	for key in $option_keys; do
		option_has[$key]=${option_ini[$2.$key]-}
	done
}

scenario_names()
{
	local name

	for name in ${scenario_ini[sections]}; do
		[[ $name == default ]] || echo "$name"
	done
}

readonly most_runs=20

# plan MODE LEAST [SCENARIO...]: lines "SCENARIO OPTION REPETITION", LEAST of each or more. All
# first runs come before all second ones: whoever stops early has seen everything once.
plan()
{
	local mode=$1 least=$2 rep scenario option key=options names

	shift 2
	((least <= most_runs)) || eval_die "$least runs of each: $most_runs are the most" 2
	[[ $mode == full ]] || key=quick
	mapfile -t names < <(scenario_names)
	[[ $# -eq 0 ]] || names=("$@")
	for scenario in "${names[@]}"; do
		[[ -n ${scenario_ini[$scenario.title]-} ]] ||
			eval_die "no scenario '$scenario' in tests/eval/scenarios, there are: $(scenario_names | paste -sd ' ')" 2
	done
	for ((rep = 1; rep <= most_runs; rep++)); do
		for scenario in "${names[@]}"; do
			((rep <= least)) || [[ $mode == full && $rep -le $(of_scenario "$scenario" runs) ]] || continue
			[[ $# -gt 0 || $(of_scenario "$scenario" runs) -gt 0 ]] || continue
			for option in $(of_scenario "$scenario" $key); do
				[[ -n ${option_ini[$option.title]-} ]] ||
					eval_die "scenario '$scenario': no option '$option' in tests/eval/options" 2
				echo "$scenario $option $rep"
			done
		done
	done
}
