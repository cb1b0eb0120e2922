"""The programs are run by a test, not collected as tests."""

collect_ignore_glob = ["programs/*"]
