#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Ansible role of docs/fleet.md, as it stands there: it applies a configuration, refuses one
# that is wrong, and rolls back one that makes the host worse. In namespaces of its own, where
# SIGHUP reloads, and "half a minute later" is a second.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

wrong()
{
	echo "$*"
	exit 1
}

# play STATUS MODE CONFIGURATION: so the playbook ends, and this is the mode of eth0 then.
play()
{
	local status=0

	printf '%s' "$3" >"$dir/rxaqm.conf"
	(cd "$dir" && ansible-playbook -c local -i localhost, play.yml -e ansible_become=false \
		-e "ansible_python_interpreter=$python" \
		-e "{\"aqm_reload\": \"kill -HUP $daemon\"}") >"$dir/said" 2>&1 || status=$?
	[ "$status" = "$1" ] || wrong "status $status: $(<"$dir/said")"
	for _ in {1..300}; do
		[[ $(rxaqm policy show eth0 2>&1) != *"mode=$2 "* ]] || return 0
		sleep 0.1
	done
	wrong "not $2: $(rxaqm policy show eth0 2>&1)"
}

inside()
{
	dir=$1
	python=$(sed -n '1s/^#!//p' "$(command -v ansible-playbook)")
	mount -t tmpfs tmpfs /run
	mount -t bpf -o mode=0700 bpf /sys/fs/bpf
	export PATH=$PWD/build:$PATH ANSIBLE_LOCAL_TEMP=$dir/tmp ANSIBLE_REMOTE_TEMP=$dir/tmp
	export ANSIBLE_GATHERING=explicit STATE_DIRECTORY=$dir/state
	mkdir -p "$dir/roles/rxaqm/tasks" "$dir/etc"
	sed -n '/^## With Ansible/,/^## Scrape/s/^    //p' docs/fleet.md >"$dir/all"
	sed '/^- hosts/,$d' "$dir/all" |
		sed "s|/etc/rxaqm|$dir/etc|g; s/--interval=30s/--interval=1s/" >"$dir/roles/rxaqm/tasks/main.yml"
	sed -n '/^- hosts/,$p' "$dir/all" >"$dir/play.yml"

	ip link add eth0 type veth peer name eth1
	ip link set eth0 up
	ip link set eth1 up
	printf '[Interface eth0]\nmode=observe\n' >"$dir/etc/rxaqm.conf"
	rxaqm run --config="$dir/etc/rxaqm.conf" 2>"$dir/log" >&2 &
	daemon=$!
	trap 'kill $daemon && wait $daemon || true' EXIT
	until rxaqm policy show eth0 >/dev/null 2>&1; do
		kill -0 $daemon || wrong "$(<"$dir/log")"
		sleep 0.1
	done
	play 0 enforce $'[Interface eth0]\nmode=enforce\nlease=5m\n'
	play 2 enforce $'[Interface eth0]\nmode=enforse\n'
	grep -q 'failed to validate' "$dir/said" || wrong "$(<"$dir/said")"
	play 2 enforce $'[Interface eth0]\nenable=no\n'
	grep -q '^changed' <(sed -n '/Roll back/,$p' "$dir/said") || wrong "$(<"$dir/said")"
	grep -q 'mode=enforce$' "$dir/etc/rxaqm.conf" || wrong "$(<"$dir/etc/rxaqm.conf")"
}

main()
{
	local scratch

	command -v ansible-playbook >/dev/null || { echo "no ansible-playbook: ansible-core is not installed" && exit 77; }
	unshare -mn true 2>/dev/null || { echo "namespaces cannot be made here" && exit 77; }
	scratch=$(mktemp -d)
	# shellcheck disable=SC2064 # now
	trap "rm -rf '$scratch'" EXIT
	unshare -mn --propagation private bash tests/shell/ansible.sh inside "$scratch"
}

if [ "${1-}" = inside ]; then inside "$2"; else main; fi
