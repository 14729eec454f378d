# Two images: `sandbox` (the tools a model's commands run with) and `app` (the server).
#   docker build --target sandbox -t dsh-sandbox .
#   docker build --target app -t dsh .
ARG SANDBOX_BASE=node:24-bookworm-slim
ARG APP_BASE=node:24-bookworm-slim

FROM ${SANDBOX_BASE} AS sandbox
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
      bash build-essential ca-certificates git procps python3-minimal ripgrep \
 && (command -v node || apt-get install --yes --no-install-recommends nodejs) \
 && rm -rf /var/lib/apt/lists/*
