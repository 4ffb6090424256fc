# The hub as an image: what it needs to run and nothing else, as a user without rights, with node as process 1 so that
# SIGTERM reaches the drain.
FROM node:22-bookworm-slim AS packages
WORKDIR /hub
COPY package.json package-lock.json .npmrc ./
COPY client/package.json ./client/
COPY console/package.json ./console/
RUN npm ci --omit=dev --no-audit --no-fund

FROM packages AS console
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY client ./client
COPY console ./console
RUN node console/build.ts && test -f console/dist/app.js

FROM node:22-bookworm-slim
ENV NODE_ENV=production HUB_HOST=:: HUB_DATA_DIR=/var/lib/hub
WORKDIR /hub
COPY --from=packages /hub/node_modules ./node_modules
COPY package.json ./
COPY src ./src
COPY actors ./actors
COPY http ./http
COPY client ./client
COPY daemon ./daemon
COPY integrator ./integrator
COPY --from=console /hub/console/dist ./console/dist
COPY publisher ./publisher
RUN install -d -o node -g node -m 0700 /var/lib/hub
USER node
VOLUME /var/lib/hub
EXPOSE 8080
# A hub with a certificate of its own answers https only; here it is asked whether it lives, not who it is.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", "const tls = process.env.HUB_TLS_CERT ? 's' : ''; if (tls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`http${tls}://127.0.0.1:${process.env.HUB_PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/hub/src/main.ts"]
CMD ["start"]
