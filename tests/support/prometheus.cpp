// SPDX-License-Identifier: GPL-2.0-only
#include "prometheus.hpp"

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "host.hpp"

namespace
{

class Socket
{
    public:
	Socket()
		: fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
	{
		check(fd);
	}
	~Socket()
	{
		close(fd);
	}
	static void check(long result)
	{
		if (result < 0)
			throw std::system_error(errno, std::generic_category(), "http");
	}

	const int fd;
};

sockaddr_in loopback(unsigned port)
{
	sockaddr_in address = {};

	address.sin_family = AF_INET;
	address.sin_port = htons(uint16_t(port));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

} // namespace

std::string prometheus_program(const std::string &name)
{
	const char *path = getenv("PATH");
	std::istringstream dirs(path ? path : "");
	std::string dir, unpacked = build_path("prometheus/usr/bin/" + name);

	while (std::getline(dirs, dir, ':'))
		if (!access((dir + "/" + name).c_str(), X_OK))
			return dir + "/" + name;
	if (access(unpacked.c_str(), X_OK))
		SKIP(name << " is neither installed nor in " << unpacked
			  << "; packaging/unpack-prometheus.sh fetches it");
	return unpacked;
}

std::string http(unsigned port, const std::string &request, unsigned patience_ms)
{
	Socket socket;
	sockaddr_in address = loopback(port);
	timeval patience = { patience_ms / 1000, patience_ms % 1000 * 1000 };
	std::string all = request + "\r\n", answer;
	char buf[65536];
	ssize_t n;

	Socket::check(connect(socket.fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
	setsockopt(socket.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* The server may not want all of it. */
	if (send(socket.fd, all.data(), all.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE)
		Socket::check(-1);
	while ((n = recv(socket.fd, buf, sizeof(buf), 0)) > 0)
		answer.append(buf, size_t(n));
	return answer;
}

std::string http_body(const std::string &answer)
{
	size_t end = answer.find("\r\n\r\n");

	return end == std::string::npos ? "" : answer.substr(end + 4);
}

std::string http_get(unsigned port, const std::string &path, const std::string &header)
{
	/* HTTP/1.0 has no chunked encoding. */
	std::string answer = http(port, "GET " + path + " HTTP/1.0\r\n" + header);

	if (answer.find("HTTP/1.") || answer.find(" 200 ") != 8)
		throw std::runtime_error("GET " + path + ": " + answer.substr(0, 300));
	return http_body(answer);
}

unsigned free_port()
{
	Socket socket;
	sockaddr_in address = loopback(0);
	socklen_t len = sizeof(address);

	Socket::check(bind(socket.fd, reinterpret_cast<sockaddr *>(&address), len));
	Socket::check(getsockname(socket.fd, reinterpret_cast<sockaddr *>(&address), &len));
	return ntohs(address.sin_port);
}
