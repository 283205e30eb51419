# syntax=docker/dockerfile:1
# What is done here beyond copying files is in docker/install.sh, which CI also runs outside of Docker.

FROM python:3.12-slim-bookworm AS build
COPY pyproject.toml README.md LICENSE /source/
COPY requirements /source/requirements
COPY docker/install.sh /source/docker/install.sh
COPY app /source/app
COPY worker /source/worker
COPY graph /source/graph
# `--build-arg LOCK=otel`: with OpenTelemetry.
ARG LOCK=runtime
RUN /source/docker/install.sh /opt/callsheet "$LOCK"

FROM python:3.12-slim-bookworm
LABEL org.opencontainers.image.title="Callsheet" \
      org.opencontainers.image.description="Review briefings for pull requests: who, outside the diff, depends on it" \
      org.opencontainers.image.licenses="Apache-2.0"
# git fetches what is briefed; procps lets a git command that hangs be ended with its children.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git procps \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --no-create-home --home-dir /nonexistent callsheet \
    && install -d -o callsheet -g callsheet -m 0700 /var/cache/callsheet
COPY --from=build /opt/callsheet /opt/callsheet
COPY docker/healthcheck.py /opt/callsheet/healthcheck.py
ENV PATH=/opt/callsheet/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    CALLSHEET_HOST=0.0.0.0 \
    CALLSHEET_PORT=8080 \
    CALLSHEET_CACHE_DIR=/var/cache/callsheet
# By number, so that Kubernetes can see that it isn't root. Written to: /var/cache/callsheet and /tmp, nothing else.
USER 10001:10001
VOLUME /var/cache/callsheet
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "/opt/callsheet/healthcheck.py"]
ENTRYPOINT ["callsheet"]
CMD ["web"]
