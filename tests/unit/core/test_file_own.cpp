// SPDX-License-Identifier: GPL-2.0-only
/* Files that one process writes: the status, the metrics for a collector. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

extern "C" {
#include "base/file.h"
}

namespace
{

const rxaqm_own_file TEXT = { rxaqm_file_put, "new\n", 0640, gid_t(-1), false };

struct Dir {
	std::string path;

	Dir()
	{
		char name[] = "/tmp/rxaqm-file-XXXXXX";

		REQUIRE(mkdtemp(name));
		path = name;
	}
	~Dir()
	{
		std::filesystem::remove_all(path);
	}
	std::string read(const std::string &name) const
	{
		std::ifstream in(path + "/" + name);

		return { std::istreambuf_iterator<char>(in), {} };
	}
};

} // namespace

TEST_CASE("file: is replaced at once, whatever was left of another try", "[file]")
{
	Dir dir;
	const std::string path = dir.path + "/a";
	struct stat status;

	std::ofstream(path) << "old, and longer\n";
	std::ofstream(path + ".not-yet-written") << "half";
	CHECK(rxaqm_file_own(path.c_str(), &TEXT) == 0);
	CHECK(dir.read("a") == "new\n");
	REQUIRE(!lstat(path.c_str(), &status));
	CHECK((status.st_mode & 07777) == 0640);
	CHECK(!std::filesystem::exists(path + ".not-yet-written"));
	CHECK(rxaqm_file_own((dir.path + "/none/a").c_str(), &TEXT) == -ENOENT);
	CHECK(rxaqm_file_own(std::string(4090, 'a').c_str(), &TEXT) == -ENAMETOOLONG);
}

TEST_CASE("file: a link is replaced, not followed", "[file]")
{
	Dir dir;

	std::ofstream(dir.path + "/another's") << "as it was\n";
	REQUIRE(!symlink((dir.path + "/another's").c_str(), (dir.path + "/a").c_str()));
	CHECK(rxaqm_file_own((dir.path + "/a").c_str(), &TEXT) == 0);
	CHECK(dir.read("another's") == "as it was\n");
	CHECK(dir.read("a") == "new\n");
}

TEST_CASE("file: a pipe or a device is written into, and stays one", "[file]")
{
	Dir dir;
	const std::string path = dir.path + "/pipe";
	char text[16] = {};
	struct stat status;

	REQUIRE(!mkfifo(path.c_str(), 0600));
	CHECK(rxaqm_file_own(path.c_str(), &TEXT) == -ENXIO); /* nobody reads: no wait */
	int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK);
	REQUIRE(fd >= 0);
	CHECK(rxaqm_file_own(path.c_str(), &TEXT) == 0);
	CHECK(read(fd, text, sizeof(text)) == 4);
	CHECK(std::string(text) == "new\n");
	close(fd);
	REQUIRE(!lstat(path.c_str(), &status));
	CHECK(S_ISFIFO(status.st_mode));
	CHECK(rxaqm_file_own(dir.path.c_str(), &TEXT) == -EISDIR);
}

TEST_CASE("file: what an operator names is replaced behind its link, and opened to nobody",
	  "[file]")
{
	Dir dir;
	const std::string file = dir.path + "/file", link = dir.path + "/link";
	rxaqm_error error = {};
	struct stat status;

	std::ofstream(file) << "old, and longer\n";
	REQUIRE(!chmod(file.c_str(), 0600));
	REQUIRE(!symlink(file.c_str(), link.c_str()));
	CHECK(rxaqm_file_replace(link.c_str(), "new\n", 0666, &error) == 0);
	CHECK(dir.read("file") == "new\n");
	CHECK(std::filesystem::is_symlink(link));
	REQUIRE(!stat(link.c_str(), &status));
	CHECK((status.st_mode & 07777) == 0600);
	/* As "/dev/stdout" is, where standard output is a file. */
	int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	CHECK(rxaqm_file_replace(("/proc/self/fd/" + std::to_string(fd)).c_str(), "newer\n", 0600,
				 &error) == 0);
	CHECK(dir.read("file") == "newer\n");
	close(fd);
	/* A file that is not there yet is as the caller and the umask want it. */
	REQUIRE(!unlink(file.c_str()));
	CHECK(rxaqm_file_replace(file.c_str(), "new\n", 0640, &error) == 0);
	REQUIRE(!stat(file.c_str(), &status));
	CHECK((status.st_mode & 07777) == 0640);
}

/* As in /tmp: all may make files there, and remove only their own. */
TEST_CASE("file: nothing that another user put into a directory of all is followed", "[file]")
{
	constexpr uid_t OTHER = 65534;
	const std::string kind = GENERATE("link", "link to nothing", "pipe", "link before");
	Dir dir;
	const std::string all = dir.path + "/all", victim = dir.path + "/victim";
	std::string path = all + "/out.json";
	rxaqm_error error = {};
	std::string sysctl;

	CAPTURE(kind);
	std::getline(std::ifstream("/proc/sys/fs/protected_symlinks") >> std::ws, sysctl);
	if (geteuid() != 0 || (kind == "link before" && sysctl != "1"))
		SKIP("needs root, and for what comes before the name fs.protected_symlinks=1");
	REQUIRE(!mkdir(all.c_str(), 0));
	REQUIRE(!chmod(all.c_str(), 01777));
	if (kind != "link to nothing")
		std::ofstream(victim) << "as it was\n";
	if (kind == "pipe")
		REQUIRE(!mkfifo(path.c_str(), 0666));
	else
		REQUIRE(!symlink(kind == "link before" ? dir.path.c_str() : victim.c_str(),
				 path.c_str()));
	REQUIRE(!lchown(path.c_str(), OTHER, OTHER));
	if (kind == "link before")
		path += "/victim";

	CHECK(rxaqm_file_try(path.c_str(), &error) == -EACCES);
	error = {};
	CHECK(rxaqm_file_replace(path.c_str(), "new\n", 0600, &error) == -EACCES);
	CHECK(std::string(error.text) ==
	      "cannot write \"" + path + "\": Permission denied" +
		      (kind == "link before" ?
			       "" :
			       "; another user has put something there: name another path"));
	CHECK(dir.read("victim") == (kind == "link to nothing" ? "" : "as it was\n"));
	if (kind == "pipe")
		CHECK(rxaqm_file_own(path.c_str(), &TEXT) == -EACCES);
	/* One's own link, and another's file, which is replaced. */
	if (kind == "link") {
		REQUIRE(!lchown(path.c_str(), 0, 0));
		CHECK(rxaqm_file_replace(path.c_str(), "new\n", 0600, &error) == 0);
		CHECK(dir.read("victim") == "new\n");
	}
}

TEST_CASE("file: 64 MiB are read, and not a byte more", "[file]")
{
	Dir dir;
	const std::string path = dir.path + "/sparse";

	std::ofstream(path) << "";
	for (off_t size : { 64 << 20, (64 << 20) + 1 }) {
		rxaqm_error error = {};
		char *text = nullptr;
		size_t bytes = 0;

		REQUIRE(!truncate(path.c_str(), size));
		CHECK((rxaqm_file_read(path.c_str(), &text, &bytes, &error) == 0) ==
		      (size == 64 << 20));
		free(text);
	}
}
