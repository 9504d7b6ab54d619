#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands beside ab, in which one call of the controller or of its agent fails.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use fault;

my $store = filled_store();

# A list that could not ask the machine says of the workload that it cannot run here, and why.
sub same_or_why {
	my ($out, $usual) = @_;
	return $out eq $usual || $out =~ /^ .*not here: .*|^ .* no: /m;
}

# Facts of the machine that cannot be read are unknown or left out, and load and memory are never the
# same; there is no other fact than usual.
sub known_facts {
	my ($out, $usual) = @_;
	my %usual = map { $_ => 1 } $usual =~ /^(?:  )?(\w.*?)(?:  |$)/mg;
	return 1 if same_or_why($out, $usual);
	return !grep { !$usual{$_} } $out =~ /^(?:  )?(\w.*?)(?:  |$)/mg;
}

my @all = qw(controller starter agent worker);
campaign(name => 'run', words => [qw(run null window=1ms warmup=0 tasks=2 mode=thread raw=3)],
	normal => 0, statuses => [0, 4], stores => 1, runs => 1, roles => \@all, most => 4);
campaign(name => 'show', words => [qw(show)], store => $store,
	normal => 0, statuses => [0, 4], runs => 4, roles => \@all, most => 10);
campaign(name => 'show 1', words => [qw(show 1)], store => $store,
	normal => 0, statuses => [0, 4], runs => 4, roles => \@all, most => 10);
campaign(name => 'list', words => [qw(list)],
	normal => 0, statuses => [0, 4], accepts => \&same_or_why, roles => \@all, most => 10);
campaign(name => 'doctor', words => [qw(doctor)],
	normal => 0, statuses => [0, 4], accepts => \&known_facts, roles => \@all, most => 10);
finish();
