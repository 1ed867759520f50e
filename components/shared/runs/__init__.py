"""What the pages with runs share: the panel, the form of NLI runs, widgets made from options."""
