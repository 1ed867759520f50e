"""`python -m isogloss`: the same work as the app's, for a shell or a machine without a screen."""

import sys

from isogloss.command_line import main

sys.exit(main())
