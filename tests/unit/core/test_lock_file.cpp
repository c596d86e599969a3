// SPDX-License-Identifier: GPL-2.0-only
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include "base/lock_file.h"
}

TEST_CASE("a lock is one holder's, though each removes the file", "[lock]")
{
	char dir[] = "/tmp/rxaqm-t-lock-XXXXXX";
	std::atomic<int> holders{ 0 }, most{ 0 }, taken{ 0 };
	std::vector<std::thread> threads;

	REQUIRE(mkdtemp(dir));
	const std::string path = std::string(dir) + "/lock";
	for (int n = 0; n < 4; n++)
		threads.emplace_back([&] {
			for (int i = 0; i < 5000; i++) {
				int fd = rxaqm_lock_file(path.c_str());

				if (fd < 0)
					continue;
				const int now = ++holders;

				if (now > most)
					most = now;
				taken++;
				usleep(20);
				--holders;
				unlink(path.c_str());
				close(fd);
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	CHECK(taken > 0);
	CHECK(most == 1);
	/* Nor is another's link followed. */
	REQUIRE(!symlink("/tmp/rxaqm-t-lock-elsewhere", path.c_str()));
	CHECK(rxaqm_lock_file(path.c_str()) == -ELOOP);
	unlink(path.c_str());
	rmdir(dir);
}
