// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm-exporter: metrics of an interface that carries traffic, to clients and to Prometheus. */
#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "exporter.hpp"
#include "exposition.hpp"
#include "host.hpp"
#include "prometheus.hpp"
#include "traffic.hpp"

namespace
{

struct Attached {
	Host host;
	Wire wire;
	Exporter server;

	Attached()
	{
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
		REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 100) == 100);
		server.render(host.bpffs());
	}
};

const char *const OPENMETRICS = "Accept: application/openmetrics-text; version=1.0.0\r\n";

std::string in_headers(const std::string &answer, const std::string &name)
{
	size_t begin = answer.find("\r\n" + name + ": "), end;

	if (begin == std::string::npos || begin > answer.find("\r\n\r\n"))
		return "";
	begin += name.size() + 4;
	end = answer.find("\r\n", begin);
	return answer.substr(begin, end - begin);
}

} // namespace

TEST_CASE("metrics: what is served is what status says", "[metrics]")
{
	Attached a;
	Exposition page(http_get(a.server.port, "/metrics"));
	int64_t packets = a.host.stat(a.wire.rx, a.wire.rx_if, "packets");

	/* The interface is in another network namespace than the server. */
	CHECK(page.value("rxaqm_interfaces") == 1);
	CHECK(page.value("rxaqm_interface_state", { { "state", "elsewhere" } }) == 1);
	CHECK(page.value("rxaqm_interface_info", { { "profile", "veth" }, { "xdp", "native" } }) ==
	      1);
	std::string label = page.find("rxaqm_interface_queues")[0].labels.at("interface");
	CHECK(label.find(a.wire.rx_if + "@") == 0);
	CHECK(page.value("rxaqm_rx_packets_total", { { "interface", label } }) >= 100);
	CHECK(page.value("rxaqm_rx_packets_total", { { "interface", label } }) <= double(packets));
	CHECK(page.value("rxaqm_rx_sojourn_seconds_count") >= 100);
	CHECK(page.value("rxaqm_rx_mode", { { "mode", "observe" } }) == 1);
	/* Its counters are those of that namespace. */
	CHECK(page.find("rxaqm_interface_overflow_packets_total").empty());
}

TEST_CASE("metrics: each client gets the format that it asks for", "[metrics]")
{
	Attached a;
	const std::string head = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
	std::string answer = http(a.server.port, head);

	CHECK(in_headers(answer, "Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
	CHECK(Exposition(http_body(answer)).value("rxaqm_rx_packets_total") >= 100);

	answer = http(a.server.port, head + OPENMETRICS);
	CHECK(in_headers(answer, "Content-Type") ==
	      "application/openmetrics-text; version=1.0.0; charset=utf-8");
	/* By the client library of other people, which is strict. */
	RunOptions options;
	options.input = http_body(answer);
	Result result =
		run({ "/usr/bin/python3", "-c",
		      "import sys\n"
		      "from prometheus_client.openmetrics.parser import "
		      "text_string_to_metric_families as parse\n"
		      "for f in parse(sys.stdin.read()): print(f.type, f.name, len(f.samples))" },
		    options);
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	CHECK(result.out.find("counter rxaqm_rx_packets ") != std::string::npos);
	CHECK(result.out.find("info rxaqm_interface 1\n") != std::string::npos);
	CHECK(result.out.find("histogram rxaqm_rx_sojourn_seconds ") != std::string::npos);
	CHECK(result.out.find("gauge rxaqm_metrics_age_seconds 1\n") != std::string::npos);
}

TEST_CASE("metrics: what is not there is an error, and what is old says so", "[metrics]")
{
	Exporter exporter;
	const std::string get = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
	std::string answer = http(exporter.port, get);

	CHECK(answer.find("HTTP/1.1 503 ") == 0);
	CHECK(http_body(answer).find(exporter.file() + "\", which \"rxaqm run\" writes: No such") !=
	      std::string::npos);
	exporter.write("# HELP x_total X\n# TYPE x_total counter\nx_total 1\n");
	Exposition young(http_get(exporter.port, "/metrics"));
	CHECK(young.value("x_total") == 1);
	CHECK(young.value("rxaqm_metrics_age_seconds") < 3600);
	std::filesystem::last_write_time(exporter.file(),
					 std::filesystem::file_time_type::clock::now() -
						 std::chrono::hours(2));
	Exposition old(http_get(exporter.port, "/metrics"));
	CHECK(old.value("rxaqm_metrics_age_seconds") >= 7200);
	std::filesystem::remove(exporter.file());
	std::filesystem::create_directory(exporter.file());
	CHECK(http(exporter.port, get).find("HTTP/1.1 503 ") == 0);
	Result end = exporter.stop();
	CAPTURE(end.text());
	CHECK(end.exit_code == 0);
}

TEST_CASE("metrics: only two pages, only to read", "[metrics]")
{
	Exporter server;
	const std::string end = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

	server.write("rxaqm_interfaces " + std::string(200, '0') + "\n");
	CHECK(http_get(server.port, "/").find("href=\"/metrics\"") != std::string::npos);
	for (const char *path : { "/metrics/", "/nothing", "/../etc/passwd" })
		CHECK(http(server.port, "GET " + std::string(path) + end).find("HTTP/1.1 404 ") ==
		      0);
	std::string answer = http(server.port, "HEAD /metrics" + end);
	CHECK(answer.find("HTTP/1.1 200 ") == 0);
	CHECK(std::stoul(in_headers(answer, "Content-Length")) > 100);
	CHECK(http_body(answer) == "");
	for (const char *method : { "POST", "PUT", "DELETE", "NONSENSE" }) {
		answer = http(server.port,
			      std::string(method) + " /metrics" + end + "Content-Length: 5\r\n");
		CAPTURE(method, answer);
		CHECK(answer.find("HTTP/1.1 405 ") == 0);
		CHECK(in_headers(answer, "Allow") == "GET, HEAD");
	}
	/* What is no HTTP, or too much of it, does not take it down. */
	http(server.port, std::string("\0\xff\x16\x03", 4) + "\r\n", 300);
	answer = http(server.port, "GET /metrics" + end + "X: " + std::string(100000, 'x') + "\r\n",
		      300);
	CHECK(answer.find("HTTP/1.1 200 ") == std::string::npos);
	CHECK_NOTHROW(http_get(server.port, "/metrics"));
}

TEST_CASE("metrics: idle connections hold up nobody for long", "[metrics]")
{
	Exporter server;
	sockaddr_in address = {};
	std::vector<int> idle;

	address.sin_family = AF_INET;
	address.sin_port = htons(uint16_t(server.port));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 12; i++) {
		idle.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
		REQUIRE(connect(idle.back(), reinterpret_cast<sockaddr *>(&address),
				sizeof(address)) == 0);
	}
	/* More than are served at a time: the next waits until the first are thrown out. */
	CHECK(eventually(
		[&] {
			try {
				return !http_get(server.port, "/").empty();
			} catch (const std::exception &) {
				return false;
			}
		},
		std::chrono::seconds(30)));
	for (int fd : idle)
		close(fd);
}

TEST_CASE("metrics: slow connections are ended, however busy they look", "[metrics]")
{
	Exporter server;
	sockaddr_in address = {};
	std::vector<int> slow;
	size_t ended = 0;

	address.sin_family = AF_INET;
	address.sin_port = htons(uint16_t(server.port));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 8; i++) {
		slow.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
		REQUIRE(connect(slow.back(), reinterpret_cast<sockaddr *>(&address),
				sizeof(address)) == 0);
		REQUIRE(send(slow.back(), "GET /metrics HTTP/1.1\r\nX: ", 26, MSG_NOSIGNAL) == 26);
	}
	/* A byte now and then, for as long as the server takes them. */
	CHECK(eventually([&] {
		std::this_thread::sleep_for(std::chrono::milliseconds(300));
		for (int &fd : slow) {
			char byte;

			if (fd < 0 || (send(fd, "x", 1, MSG_NOSIGNAL) == 1 &&
				       recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN))
				continue;
			close(fd);
			fd = -1;
			ended++;
		}
		return ended == slow.size();
	}));
	CHECK_NOTHROW(http_get(server.port, "/"));
	for (int fd : slow)
		if (fd >= 0)
			close(fd);
}

TEST_CASE("metrics: a port that is in use, or an address that is not there", "[metrics]")
{
	Exporter server;
	const std::string port = std::to_string(server.port);
	auto start = [](const Args &args) {
		Args all = { build_path("rxaqm-exporter") };

		all.insert(all.end(), args.begin(), args.end());
		return run(all);
	};
	Result result = start({ "--listen", "127.0.0.1:" + port });

	CHECK(result.exit_code == 1);
	CHECK(result.err == "rxaqm-exporter: cannot serve metrics on \"127.0.0.1:" + port +
				    "\": Address already in use; \"ss -ltnp sport = :" + port +
				    "\" shows who has it; end that, or choose another port\n");
	result = start({ "-l", "192.0.2.1:9752" });
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("no interface of this host has the address") != std::string::npos);
	for (const Args &args :
	     { Args{ "-l", "nowhere" }, Args{ "a", "b" }, Args{ "--listen" }, Args{ "-x" } }) {
		result = start(args);
		CAPTURE(result.text());
		CHECK(result.exit_code == 2);
		CHECK(result.out == "");
		CHECK(result.err.find("\"" + args.back() + "\"") != std::string::npos);
	}
	CHECK(start({ "--version" }).out.find("rxaqm-exporter ") == 0);
	CHECK(start({ "--help" }).out.find("Usage: rxaqm-exporter ") == 0);
}

TEST_CASE("metrics: systemd hands the socket over, and no privilege is needed", "[metrics]")
{
	const unsigned port = free_port();
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	sockaddr_in address = {};
	RunOptions options;
	Exporter file;

	file.write("x 1\n");
	std::filesystem::permissions(std::filesystem::path(file.file()).parent_path(),
				     std::filesystem::perms(0755));
	address.sin_family = AF_INET;
	address.sin_port = htons(uint16_t(port));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	REQUIRE(bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) == 0);
	REQUIRE(listen(fd, 1) == 0);
	/* As sd_listen_fds(3) wants it: descriptor 3, and the pid of who is to have it. */
	options.prepare = [fd] { return dup2(fd, 3) == 3 ? 0 : -1; };
	Child child({ "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
		      "--bounding-set=-all", "--no-new-privs", "sh", "-c",
		      "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$1\"", build_path("rxaqm-exporter"),
		      file.file() },
		    options);
	close(fd);
	CHECK(eventually([&] {
		try {
			return http_get(port, "/metrics").find("x 1\n") != std::string::npos;
		} catch (const std::exception &) {
			return false;
		}
	}));
	child.kill(SIGTERM);
	Result end = child.wait();
	CAPTURE(end.text());
	CHECK(end.exit_code == 0);
}

TEST_CASE("metrics: promtool finds nothing to say about the page", "[metrics]")
{
	const std::string promtool = prometheus_program("promtool");
	Attached a;
	RunOptions options;

	options.input = http_get(a.server.port, "/metrics");
	Result result = run({ promtool, "check", "metrics" }, options);
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out == "");
	CHECK(result.err == "");
}

TEST_CASE("metrics: Prometheus scrapes them, and answers queries", "[metrics]")
{
	const std::string prometheus = prometheus_program("prometheus");
	Attached a;
	std::string dir = std::filesystem::temp_directory_path() / "rxaqm-prometheus-XXXXXX";
	unsigned port = free_port();

	REQUIRE(mkdtemp(dir.data()));
	std::ofstream(dir + "/prometheus.yml")
		<< "global: { scrape_interval: 1s, evaluation_interval: 1s }\n"
		<< "rule_files: [ '" << source_path("packaging/prometheus/rxaqm.rules.yml")
		<< "' ]\n"
		<< "scrape_configs:\n"
		<< "  - job_name: rxaqm\n"
		<< "    static_configs: [ { targets: [ '127.0.0.1:" << a.server.port << "' ] } ]\n";
	{
		RunOptions options;

		options.timeout = std::chrono::seconds(90);
		Child child({ prometheus, "--config.file=" + dir + "/prometheus.yml",
			      "--storage.tsdb.path=" + dir + "/data", "--log.level=warn",
			      "--web.listen-address=127.0.0.1:" + std::to_string(port) },
			    options);
		auto query = [&](const std::string &expr) {
			try {
				return Json(http_get(port, "/api/v1/query?query=" + expr));
			} catch (const std::exception &) {
				return Json("{\"status\":\"none\"}");
			}
		};
		auto number = [](const Json &json) {
			return std::stod(json.text("/data/result/0/value/1"));
		};
		/* It prefers OpenMetrics; a second scrape shows that the first went well. */
		CHECK(eventually(
			[&] {
				Json json = query("count_over_time(rxaqm_interfaces%5B1m%5D)");

				return json.has("/data/result/0/value/1") && number(json) >= 2;
			},
			std::chrono::seconds(60)));
		CHECK(number(query("up%7Bjob=%22rxaqm%22%7D")) == 1);
		CHECK(number(query("sum(rxaqm_rx_packets_total)")) >= 100);
		CHECK(number(query("sum(rxaqm_rx_sojourn_seconds_count)")) >= 100);
		/* NaN, as everything is when nothing moves: but the expression is understood. */
		Json quantile = query("histogram_quantile(0.99,sum%20by(le)"
				      "(rate(rxaqm_rx_sojourn_seconds_bucket%5B1m%5D)))");
		CHECK(quantile.text("/status") == "success");
		Json rules(http_get(port, "/api/v1/rules"));
		CHECK(rules.size("/data/groups") >= 1);
		child.kill(SIGTERM);
		Result result = child.wait();
		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		CHECK(result.err.find("level=error") == std::string::npos);
	}
	std::filesystem::remove_all(dir);
}
