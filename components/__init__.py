"""What pages are made of: Streamlit only, a folder for each page."""
