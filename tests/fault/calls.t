#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The library knows every call of libc that can fail and that controller, agent or SQLite make: one
# that it did not know would never be tried.
use strict;
use warnings;
use FindBin;
use Test::More;

my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";

# The functions that a file takes from elsewhere, or gives.
sub symbols {
	my ($which, $path) = @_;
	my %names;
	for (`nm -D --$which-only '$path' 2>/dev/null`) {
		$names{$1} = 1 if /\s[A-Za-z]\s(\w+)(?:@|$)/;
	}
	return %names;
}

my ($sqlite) = `ldd '$build/contend'` =~ /libsqlite3\S* => (\S+)/;
my %called = map { symbols('undefined', $_) } "$build/contend",
	"$build/tests/fault/contend-agent-dynamic", $sqlite;
my %known = symbols('defined', "$build/tests/fault/preload.so");
ok($called{write} && $called{malloc}, 'calls were found');
ok($known{write} && $known{malloc}, 'and the library has some');

# What can fail for want of something, or by a fault of a disk. Not here: what fails only by a bug of
# who calls it (close, munmap, sigaction), and what SQLite has and does not call in a store.
my @can_fail = qw(
	_Fork access aligned_alloc bind calloc clone connect creat dup dup2 dup3 epoll_create1
	epoll_ctl epoll_wait eventfd execl execv execve execveat execvp faccessat fallocate fcntl
	fcntl64 fdatasync flock fopen fopen64 fork fsync fstat fstat64 fstatat fstatat64 ftruncate
	ftruncate64 getrandom getrlimit getrlimit64 inotify_init1 ioperm link linkat listen lstat
	lstat64 madvise malloc memfd_create mincore mkdir mkdirat mkfifo mknod mknodat mkostemp
	mkstemp mlock mmap mmap64 mount mprotect open open64 openat openat64 opendir perf_event_open
	personality pidfd_open pipe pipe2 poll posix_memalign posix_spawn ppoll pread pread64
	prlimit prlimit64 pthread_create pwrite pwrite64 read readlink readlinkat readv realloc recv
	recvmsg rename renameat renameat2 rmdir sched_getaffinity sched_setaffinity send sendmsg
	setns setpriority setrlimit setrlimit64 shm_open signalfd socket socketpair stat stat64
	statfs statfs64 statx swapoff swapon symlink syscall timerfd_create truncate truncate64
	umount umount2 unlink unlinkat unshare userfaultfd wait4 waitid waitpid write writev
);
is(join(' ', grep { $called{$_} && !$known{$_} } @can_fail), '', 'it knows all that can fail');

done_testing();
