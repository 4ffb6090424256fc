/**
 * The table of settings: for each its environment name, kind, default, and the reason of that default. Owns the words
 * of the README's table, and what the settings are in code, which follows from it; reads no environment.
 */
import { audit } from "./audit-table.ts"
import { identity } from "./identity-table.ts"
import * as kinds from "./kinds.ts"
import { tracing } from "./tracing-table.ts"

const port = kinds.count(0, 65_535)
const http = kinds.url("http", "https")
/** Metadata and host services of AWS, GCP, Azure, Alibaba Cloud and Oracle Cloud. */
const cloudMetadata =
  "169.254.169.254/32,169.254.170.2/32,fd00:ec2::254/128,168.63.129.16/32,100.100.100.200/32,192.0.0.192/32"
const daySeconds = 86_400
const dayMillis = 86_400_000

const serving = {
  host: {
    env: "HUB_HOST",
    kind: kinds.host,
    standard: "127.0.0.1",
    reason:
      "Where to listen. Only this machine, until you say otherwise; `::` on all addresses of IPv6 and IPv4 (so in the image), `0.0.0.0` on those of IPv4 alone"
  },
  port: { env: "HUB_PORT", kind: port, standard: "8080", reason: "The port. `0` lets the system choose one" },
  dataDir: {
    env: "HUB_DATA_DIR",
    kind: kinds.text,
    standard: "./.hub",
    reason: "The embedded database, the generated secret key and the socket of the command line live here"
  },
  // read by http/native/native-part.ts, before there are settings
  nativePart: {
    env: "HUB_UWS_BINARY",
    kind: kinds.text,
    reason:
      "A native part of uWebSockets.js that you built yourself (`uws_….node`), for a processor or a C library that the pinned ones do not know. It is loaded without a look at its checksum"
  },
  databaseUrl: {
    env: "DATABASE_URL",
    kind: kinds.url("postgres", "postgresql"),
    reason: "A Postgres for what must survive. Absent: an embedded one in the data folder",
    secret: true
  },
  databaseConnections: {
    env: "HUB_DATABASE_CONNECTIONS",
    kind: kinds.count(1, 500),
    standard: "10",
    reason: "Connections to Postgres a node; more seldom helps below 20,000 statements a second"
  },
  redisUrl: {
    env: "REDIS_URL",
    kind: kinds.redisUrl,
    reason: "A Redis through which several nodes are one hub. Absent: this node is the whole hub",
    secret: true
  },
  publicUrl: {
    env: "HUB_PUBLIC_URL",
    kind: http,
    reason: "The address callers see, for links and login redirects. Absent: where the hub listens"
  },
  dashboardUrl: {
    env: "HUB_DASHBOARD_URL",
    kind: http,
    reason: "Where a login through OpenID Connect comes back to, with its one-time code"
  },
  tlsCert: {
    env: "HUB_TLS_CERT",
    kind: kinds.text,
    reason: "File of the certificate chain (PEM): serves https and wss"
  },
  tlsKey: { env: "HUB_TLS_KEY", kind: kinds.text, reason: "File of its private key (PEM)" },
  hsts: {
    env: "HUB_HSTS",
    kind: kinds.choice("off", "host", "subdomains"),
    standard: "host",
    reason:
      "With https in `HUB_PUBLIC_URL` browsers are told to come over https only for a year: to its host, or also to its subdomains. `off` where the host serves others without https"
  },
  corsOrigins: {
    env: "HUB_CORS_ORIGINS",
    kind: kinds.list(kinds.origin, 64),
    standard: "",
    reason: "Dashboards on other origins that a browser may call from. None, as none is needed for integrations"
  },
  daemonOrigins: {
    env: "HUB_DAEMON_ORIGINS",
    kind: kinds.list(kinds.origin, 64),
    standard: "",
    reason:
      "Origins whose pages may open a daemon's socket, beside those of `HUB_CORS_ORIGINS` and the hub's own. `*`: all. No `Origin`, no question"
  },
  trustedProxies: {
    env: "HUB_TRUSTED_PROXIES",
    kind: kinds.list(kinds.cidr, 256),
    standard: "",
    reason: "Address ranges whose `X-Forwarded-For` is believed. None: a forged header must not choose its bucket"
  },
  // 32 bytes, and as many of each older key after it (secret-keys.ts)
  secretKey: {
    env: "HUB_SECRET_KEY",
    kind: kinds.secretKeys,
    reason:
      "Encrypts webhook secrets and signing keys at rest. Needed with `DATABASE_URL`; else made in the data folder. Of several the first encrypts, each decrypts: `hub secret rotate`",
    secret: true
  },
  metricsToken: {
    env: "HUB_METRICS_TOKEN",
    kind: kinds.token,
    reason: "The bearer that opens `/metrics` to other computers. Absent: only this one may ask",
    secret: true
  },
  logLevel: {
    env: "HUB_LOG_LEVEL",
    kind: kinds.choice("debug", "info", "warn", "error", "none"),
    standard: "info",
    reason: "The least severe line that is logged"
  },
  drainMillis: {
    env: "HUB_DRAIN",
    kind: kinds.millis(dayMillis),
    standard: "25s",
    reason: "How long a closing hub waits for what is under way; below the 30 s after which platforms kill"
  },
  reconnectSpreadMillis: {
    env: "HUB_RECONNECT_SPREAD",
    kind: kinds.millis(dayMillis),
    standard: "10s",
    reason:
      "Over how long a closing node sends its daemons to the others, one after the other; more than half of `HUB_DRAIN` counts as half"
  }
} satisfies kinds.Rows

const limits = {
  keyIssuing: {
    env: "HUB_KEY_ISSUING",
    kind: kinds.choice("enabled", "disabled"),
    standard: "enabled",
    reason: "`disabled`: the API issues no keys (403), existing ones keep working, the command line still does"
  },
  recentLoginSeconds: {
    env: "HUB_RECENT_LOGIN",
    kind: kinds.seconds(30 * daySeconds),
    standard: "15m",
    reason: "How recent the login must be on routes that change what others depend on"
  },
  sessionSeconds: {
    env: "HUB_SESSION",
    kind: kinds.seconds(365 * daySeconds),
    standard: "12h",
    reason: "How long a dashboard token is good for; a refresh gives a new one"
  },
  rateKeyPerMinute: {
    env: "HUB_RATE_KEY_PER_MINUTE",
    kind: kinds.count(1, 100_000_000),
    standard: "120",
    reason: "Requests per API key in any 60 s, as published"
  },
  rateIpPerMinute: {
    env: "HUB_RATE_IP_PER_MINUTE",
    kind: kinds.count(1, 100_000_000),
    standard: "60",
    reason: "Requests per address (IPv6: per /64) in any 60 s, as published"
  },
  rateIpScope: {
    env: "HUB_RATE_IP_SCOPE",
    kind: kinds.choice("unkeyed", "all"),
    standard: "unkeyed",
    reason: "`unkeyed`: the address limit covers what carries no valid API key; `all`: keyed requests too"
  },
  connectsPerSecond: {
    env: "HUB_CONNECTS_PER_SECOND",
    kind: kinds.count(1, 100_000_000),
    standard: "1000",
    reason: "New daemon connections a node takes; one too many is told when to come back. A core takes about 3,000"
  },
  disconnectGraceMillis: {
    env: "HUB_DISCONNECT_GRACE",
    kind: kinds.millis(dayMillis),
    standard: "15s",
    reason: "How long a daemon lost without a goodbye may take to come back before `daemon:disconnect`"
  },
  commandTimeoutMillis: {
    env: "HUB_COMMAND_TIMEOUT",
    kind: kinds.millis(3_600_000),
    standard: "60s",
    reason: "How long a command may take before 504, as published"
  },
  webhookRetriesSeconds: {
    env: "HUB_WEBHOOK_RETRIES",
    kind: kinds.list(kinds.seconds(daySeconds), 3),
    standard: "5,60,720",
    reason: "Delays before each retry of a failed delivery, ±20 %; three at most, as published"
  },
  webhookAllowCidrs: {
    env: "HUB_WEBHOOK_ALLOW_CIDRS",
    kind: kinds.list(kinds.cidr, 256),
    standard: "",
    reason: "Address ranges webhooks may reach although they are private. None: the hub must not be a way inside"
  },
  webhookDenyCidrs: {
    env: "HUB_WEBHOOK_DENY_CIDRS",
    kind: kinds.list(kinds.cidr, 256),
    standard: cloudMetadata,
    reason:
      "Address ranges no webhook may reach, whatever else is allowed. The default is where clouds tell a host its secrets; what is set replaces it, so list these too"
  }
} satisfies kinds.Rows

const ice = {
  stunUrls: {
    env: "HUB_STUN_URLS",
    kind: kinds.list(kinds.iceUrl("stun", "stuns"), 16),
    standard: "stun:stun.cloudflare.com:3478",
    reason: "STUN servers named to dashboards and daemons"
  },
  turnUrls: {
    env: "HUB_TURN_URLS",
    kind: kinds.list(kinds.iceUrl("turn", "turns"), 16),
    standard: "",
    reason: "TURN servers that share `HUB_TURN_SECRET` with the hub (coturn: `use-auth-secret`)"
  },
  turnSecret: { env: "HUB_TURN_SECRET", kind: kinds.text, reason: "That secret", secret: true },
  turnCloudflareKeyId: { env: "HUB_TURN_CLOUDFLARE_KEY_ID", kind: kinds.text, reason: "Or: a TURN key of Cloudflare" },
  turnCloudflareToken: {
    env: "HUB_TURN_CLOUDFLARE_TOKEN",
    kind: kinds.text,
    reason: "And the API token that goes with it",
    secret: true
  }
} satisfies kinds.Rows

const rows = { ...serving, ...audit, ...limits, ...identity, ...ice, ...tracing } satisfies kinds.Rows

/** All settings, read once at start. Durations are milliseconds unless the name says otherwise. */
export type Settings = { readonly [K in keyof typeof rows]: kinds.ValueOf<(typeof rows)[K]> }

/** Every setting, in the order the README shows them. */
export const settings: { readonly [K in keyof Settings]: kinds.Setting } = rows
