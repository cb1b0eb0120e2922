"""What IPython reads when the kernel of the site starts: IPYTHONDIR names this folder's parent."""

c = get_config()  # type: ignore[name-defined]  # noqa: F821 - IPython gives it
c.InteractiveShellApp.extensions = ["late_packages", "user_expressions"]
