/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/peer/peer.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"

#define MAX_ARGS 12
#define END_MS 2000 /* time for the peer to end by itself */
#define STEP_MS 10

static void become(char *const argv[], int fd, int messages_fd)
{
	/* Ctrl-C reaches only the parent: the child ends with its standard input. */
	setpgid(0, 0);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(messages_fd, STDERR_FILENO);
	if (!strcmp(argv[0], "ssh"))
		execvp(argv[0], argv);
	else
		execv("/proc/self/exe", argv);
	_exit(127);
}

static int spawn(struct qualify_peer *peer, char *const argv[], struct rxaqm_error *error)
{
	int fds[2], messages[2], err = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return rxaqm_failed(error, errno, "socketpair: %s", strerror(errno));
	if (pipe2(messages, O_CLOEXEC)) {
		err = rxaqm_failed(error, errno, "pipe: %s", strerror(errno));
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	fcntl(messages[0], F_SETFL, O_NONBLOCK);
	peer->pid = fork();
	if (!peer->pid)
		become(argv, fds[1], messages[1]);
	close(fds[1]);
	close(messages[1]);
	if (peer->pid > 0) {
		setpgid(peer->pid, peer->pid); /* both set it: either may run first */
		peer->fd = fds[0];
		peer->messages_fd = messages[0];
		return 0;
	}
	err = rxaqm_failed(error, errno, "fork: %s", strerror(errno));
	peer->pid = 0;
	close(fds[0]);
	close(messages[0]);
	return err;
}

int qualify_peer_spawn(struct qualify_peer *peer, const char *place, bool here, const char *iface,
		       struct rxaqm_error *error)
{
	/* Nobody could answer a question of ssh, nor see which ssh asks. A terminal there, which
	 * RequestTTY=force in ssh_config asks for, would change what is sent.
	 */
	const char *by_ssh[MAX_ARGS] = { "ssh", "-T",	 "-o",	    "BatchMode=yes", "--",
					 place, "rxaqm", "qualify", "--serve",	     iface };
	const char *child[MAX_ARGS] = { "rxaqm-qualify", "--netns", place, "--serve", iface };

	return spawn(peer, (char *const *)(here ? child : by_ssh), error);
}

void qualify_peer_kill(struct qualify_peer *peer)
{
	siginfo_t ended = {};
	int ms;

	kill(peer->pid, SIGTERM);
	for (ms = 0; ms < END_MS && !ended.si_pid; ms += STEP_MS) {
		rxaqm_sleep_until(rxaqm_now_ns() + STEP_MS * RXAQM_NSEC_PER_MSEC);
		waitid(P_PID, (id_t)peer->pid, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
	/* Kill it, and the processes that it left behind. */
	kill(-peer->pid, SIGKILL);
	waitpid(peer->pid, NULL, 0);
	peer->pid = 0;
}
