# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl reproduce: what is listed, what is refused, and what the experiments give out."""


def test_experiments_are_listed_twice_alike(pawl):
    short = pawl("list", "experiments")
    long = pawl("reproduce", "list")
    assert short.returncode == 0 and long.returncode == 0
    names = [line.split()[0] for line in short.stdout.splitlines()]
    assert "lit-10.1" in names
    assert names == [line.split()[0] for line in long.stdout.splitlines() if line[0] != " "]


def test_bad_names_and_places_are_refused(pawl):
    done = pawl("reproduce")
    assert done.returncode == 2 and "reproduce list" in done.stderr
    done = pawl("reproduce", "lit-10.11")
    assert done.returncode == 2 and "did you mean 'lit-10.1'?" in done.stderr
    done = pawl("reproduce", "lit-10.1", "more")
    assert done.returncode == 2 and "one experiment at a time" in done.stderr
    done = pawl("reproduce", "lit-10.1", "--html", "-")
    assert done.returncode == 2 and "file name" in done.stderr
    done = pawl("reproduce", "lit-10.1", "--html", "nowhere/page.html")
    assert done.returncode == 2 and "does not exist" in done.stderr
    done = pawl("reproduce", "lit-10.1", "--html", "a", "--json", "a")
    assert done.returncode == 2 and "both name" in done.stderr
