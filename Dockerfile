# Isogloss in a container. The same image serves the app and, with requirements-cluster.txt, a Ray node.
#   docker build -t isogloss --build-arg BASE=python:3.11-slim@sha256:… .
#   docker run -p 8501:8501 -v isogloss:/data --cap-drop ALL --security-opt no-new-privileges isogloss
# The base image is named by its digest, so that the same file gives the same image. Nobody else's
# digest can be trusted, so none is written here: docs/deployment.md says how to look it up.
ARG BASE
FROM ${BASE}

# Isogloss is Apache-2.0. The wheel of imageio-ffmpeg carries a program of its own, an FFmpeg that was
# built with --enable-gpl --enable-version3: whoever passes this image on passes that program on,
# under the GPL, version 3. Isogloss starts it for MP4 films and is not linked with it.
LABEL org.opencontainers.image.title="Isogloss" \
      org.opencontainers.image.licenses="Apache-2.0 AND GPL-3.0-or-later" \
      org.opencontainers.image.description="Isogloss (Apache-2.0) with FFmpeg from imageio-ffmpeg (GPL)"

# Options for pip, such as an index of builds for one kind of GPU or for CPUs only.
ARG PIP_OPTIONS=""
ARG REQUIREMENTS="requirements.txt"

# Chinese in films is drawn with a font of the system.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /isogloss
COPY requirements*.txt requirements.lock ./
RUN for each in $REQUIREMENTS; do \
        pip install --no-cache-dir $PIP_OPTIONS -c requirements.lock -r "$each" || exit 1; \
    done
COPY . .

# Nothing below runs as root; what is computed or downloaded goes into the volume.
RUN useradd --create-home isogloss && mkdir /data && chown isogloss /data
USER isogloss
ENV ISOGLOSS_CACHE=/data/cache HF_HOME=/data/hub PYTHONUNBUFFERED=1 PYTHONPATH=/isogloss
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD python -c \
    "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"
CMD ["streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.headless", "true"]
