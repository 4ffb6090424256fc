# The hub as an image: what it needs to run and nothing else, as a user without rights, with node as process 1 so that
# SIGTERM reaches the drain.
FROM node:24-trixie-slim AS packages
WORKDIR /hub
COPY package.json package-lock.json .npmrc ./
COPY client/package.json ./client/
COPY console/package.json ./console/
RUN npx -y npm@10.9.9 ci --omit=dev --no-audit --no-fund

FROM packages AS built
RUN npx -y npm@10.9.9 ci --no-audit --no-fund
COPY tsconfig.json ./
COPY build ./build
COPY src ./src
COPY actors ./actors
COPY http ./http
COPY client ./client
COPY console ./console
COPY daemon ./daemon
COPY integrator ./integrator
COPY publisher ./publisher
RUN node build/all.ts

FROM node:24-trixie-slim
ENV NODE_ENV=production HUB_HOST=:: HUB_DATA_DIR=/var/lib/hub
# as ./hub has them
ENV MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=1048576
WORKDIR /hub
COPY --from=packages /hub/node_modules ./node_modules
COPY package.json ./
COPY src ./src
COPY actors ./actors
COPY http ./http
COPY client ./client
COPY daemon ./daemon
COPY --from=built /hub/daemon/dist ./daemon/dist
COPY integrator ./integrator
COPY --from=built /hub/console/dist ./console/dist
COPY publisher ./publisher
COPY --from=built /hub/build/dist ./build/dist
COPY docs ./docs
RUN install -d -o node -g node -m 0700 /var/lib/hub
USER node
VOLUME /var/lib/hub
EXPOSE 8080
# A hub with a certificate of its own answers https only; here it is asked whether it lives, not who it is.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", "const tls = process.env.HUB_TLS_CERT ? 's' : ''; if (tls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`http${tls}://127.0.0.1:${process.env.HUB_PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/hub/build/dist/hub.mjs"]
CMD ["start"]
