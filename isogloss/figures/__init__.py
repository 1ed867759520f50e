"""Results to Plotly figures and to the self-contained map; needs no Streamlit."""
