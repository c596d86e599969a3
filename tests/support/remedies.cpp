// SPDX-License-Identifier: GPL-2.0-only
#include "remedies.hpp"

#include <catch2/catch_test_macros.hpp>

#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace
{

/* The quoted parts of @text, in lines that contain @says. */
std::vector<std::string> quoted(const std::string &text, const std::string &says)
{
	std::vector<std::string> found;
	size_t end = 0;

	for (size_t begin = 0; begin < text.size(); begin = end + 1) {
		end = std::min(text.find('\n', begin), text.size());
		const std::string line = text.substr(begin, end - begin);

		if (line.find(says) == std::string::npos)
			continue;
		for (size_t open = line.find('"'); open != std::string::npos;) {
			const size_t close = line.find('"', open + 1);

			if (close == std::string::npos)
				break;
			found.push_back(line.substr(open + 1, close - open - 1));
			open = line.find('"', close + 1);
		}
	}
	return found;
}

/* Is the remedy added to the command instead of run? */
bool is_added(const std::string &remedy)
{
	return remedy.starts_with("--") ||
	       (remedy.find('=') != std::string::npos && remedy.find(' ') == std::string::npos);
}

/* @command with @remedy: it replaces the same key or option, or is appended. */
std::string with(std::string command, const std::string &remedy)
{
	const std::string key = remedy.substr(0, remedy.find_first_of("= ") + 1);
	const size_t at = key.empty() ? std::string::npos : command.find(" " + key);

	if (at == std::string::npos)
		return command + " " + remedy;
	const size_t value = at + 1 + key.size();
	const size_t end = std::min(command.find(' ', value), command.size());

	return command.replace(at + 1, end - at - 1, remedy);
}

} // namespace

Place::~Place()
{
	if (link_ >= 0)
		close(link_);
}

Result Place::shell(const std::string &command, bool outside) const
{
	const std::string path = std::filesystem::path(rxaqm_path()).parent_path();
	RunOptions options;

	options.environment = { "PATH=" + path + ":" + getenv("PATH") + ":/usr/sbin:/sbin",
				"IF=" + wire.rx_if, "NETNS=" + wire.rx.name(),
				"TX=" + wire.tx.name(), "TX_IF=" + wire.tx_if };
	const std::string netns = outside ? "/proc/1/ns/net" : "/run/netns/" + wire.rx.name();

	return run({ "nsenter", "--net=" + netns, "sh", "-c", command },
		   host.with_environment(options));
}

std::string Place::must(const std::string &command) const
{
	const Result result = shell(command);

	if (result.exit_code)
		throw std::runtime_error(result.text());
	return result.out;
}

void Place::foreign(bool generic, const std::string &ifname) const
{
	put_foreign_xdp(wire.rx, ifname.empty() ? wire.rx_if : ifname, XDP_PASS, generic);
}

void Place::foreign_link(bool generic, const std::string &ifname, bool pinned)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	const int index = int(wire.rx.ifindex(ifname.empty() ? wire.rx_if : ifname));
	const int fd = load_foreign_xdp();

	opts.flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
	wire.rx.enter([&] { link_ = bpf_link_create(fd, index, BPF_XDP, &opts); });
	close(fd);
	REQUIRE(link_ >= 0);
	if (!pinned)
		return;
	REQUIRE(bpf_obj_pin(link_, (host.bpffs() + "/foreign").c_str()) == 0);
	close(link_);
	link_ = -1;
}

void Place::bridge() const
{
	wire.rx.ip("link add br0 type bridge");
	wire.rx.ip("link set " + wire.rx_if + " master br0");
}

void try_remedy(const Situation &situation, Place &place)
{
	const std::string says = situation.says;
	std::string command = situation.command, tried;

	if (situation.set_up)
		situation.set_up(place);
	const Result refused = place.shell(command, situation.outside);
	CAPTURE(refused.text());
	REQUIRE((refused.out + refused.err).find(says) != std::string::npos);
	std::vector<std::string> remedies = situation.instead;
	if (remedies.empty())
		for (const std::string &words : quoted(refused.out + refused.err, says))
			if (words.starts_with(situation.remedy))
				remedies.push_back(words);
	REQUIRE_FALSE(remedies.empty());
	for (std::string &remedy : remedies) {
		const size_t name = remedy.find("IFACE");

		if (name != std::string::npos)
			remedy.replace(name, 5, place.wire.rx_if);
		if (is_added(remedy)) {
			command = with(command, remedy);
			continue;
		}
		const Result done = place.shell(remedy, situation.outside);

		tried += done.text();
		CAPTURE(tried);
		CHECK(done.exit_code == 0);
	}
	if (situation.helps == Helps::SHOWS)
		return;
	const Result again = place.shell(command, situation.outside);
	CAPTURE(tried, again.text());
	CHECK((again.out + again.err).find(says) == std::string::npos);
	if (situation.helps == Helps::DONE)
		CHECK(again.exit_code == 0);
}

namespace
{

/* Catch2 takes only functions without arguments. */
constexpr size_t ROWS_MAX = 96;

/* Filled before main(), in any order. */
std::vector<const Situation *> &rows()
{
	static std::vector<const Situation *> list;

	return list;
}

std::vector<const Untried *> &not_tried()
{
	static std::vector<const Untried *> list;

	return list;
}

template<size_t N> void try_row()
{
	if (rows().at(N)->where == Situation::GUEST && !getenv("RXAQM_GUEST"))
		SKIP("runs in a guest: make test-vm");
	Place place;

	try_remedy(*rows().at(N), place);
}

template<size_t N> void skip_row()
{
	SKIP("cannot be tried here: " << not_tried().at(N)->why);
}

void add(void (*test)(), const std::string &name, const char *tags)
{
	Catch::AutoReg(Catch::makeTestInvoker(test), Catch::SourceLineInfo(__FILE__, __LINE__),
		       Catch::StringRef(), Catch::NameAndTags(name, tags));
}

template<size_t... N> void add_all(std::index_sequence<N...>)
{
	((N < rows().size() ?
		  add(try_row<N>, "remedy: " + std::string(rows()[N]->name), "[remedies]") :
		  void()),
	 ...);
	((N < not_tried().size() ?
		  add(skip_row<N>, "remedy of \"" + std::string(not_tried()[N]->says) + "\"",
		      "[remedies]") :
		  void()),
	 ...);
}

} // namespace

void register_remedies(Situation::Where where)
{
	for (const Situation &situation : situations())
		if (situation.where == where)
			rows().push_back(&situation);
	if (where == Situation::HERE)
		for (const Untried &one : untried())
			not_tried().push_back(&one);
	if (rows().size() > ROWS_MAX || not_tried().size() > ROWS_MAX)
		throw std::logic_error("ROWS_MAX of remedies.cpp is too low");
	add_all(std::make_index_sequence<ROWS_MAX>());
}
