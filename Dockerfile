# Two images: `sandbox`, the tools that a model's commands run with, and `app`, the server.
#   docker build --target sandbox -t dsh-sandbox .
#   docker build --target app -t dsh .
# Both bases need Debian's apt, glibc and Node 24 with npm.
ARG SANDBOX_BASE=node:24-bookworm-slim
ARG APP_BASE=node:24-bookworm-slim

FROM ${SANDBOX_BASE} AS sandbox
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
      bash build-essential ca-certificates git procps python3 ripgrep \
 && rm -rf /var/lib/apt/lists/*

FROM ${APP_BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig*.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build:lib && npm prune --omit=dev --omit=optional

FROM ${APP_BASE} AS app
# The host side of a turn runs git: mirrors, work trees, commits.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --create-home --home-dir /var/lib/dsh dsh
WORKDIR /app
COPY --from=build /app/package.json ./
COPY app.yml ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/lib ./lib
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DSH_DATA_DIR=/var/lib/dsh
# The engine mounts work trees from here: give it the same path on the host.
VOLUME /var/lib/dsh
USER dsh
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "lib/cli.js", "serve"]
