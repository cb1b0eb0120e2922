"""`python -m graphlab.faces.exercises LESSON.ipynb --to nbgrader --out FOLDER`.

Read next: faces/exercises/grading.py
"""

import argparse
import sys

from graphlab.faces.exercises.grading import FORMATS, export


def main() -> int:
    """Export a lesson; return 0, or print why it cannot be exported and return 1."""
    parser = argparse.ArgumentParser(prog="python -m graphlab.faces.exercises", description=__doc__)
    parser.add_argument("notebook", help="a lesson, such as notebooks/06_….ipynb")
    parser.add_argument("--to", choices=FORMATS, required=True, help="the tool to write it for")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument("--solutions", metavar="FILE", help="the answers that are code")
    given = parser.parse_args()
    try:
        print(export(given.notebook, given.to, given.out, given.solutions))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
