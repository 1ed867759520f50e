"""The token map: layouts and links, the scripts that draw it, one HTML file, sheets, films."""
