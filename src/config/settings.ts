/** The shape of the settings. Owns their names in code; config/table.ts says what each is called outside and why. */
import type { GroupRole } from "../domain/account/group-roles.ts"
import type { CommandsShownOf } from "../domain/command/shown-command.ts"

/** All settings, read once at start. Durations are milliseconds unless the name says otherwise. */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** Read by http/native/native-part.ts, before there are settings. */
  readonly nativePart: string | undefined
  readonly databaseUrl: string | undefined
  readonly databaseConnections: number
  readonly redisUrl: string | undefined
  readonly publicUrl: string | undefined
  readonly dashboardUrl: string | undefined
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly hsts: "off" | "host" | "subdomains"
  readonly corsOrigins: ReadonlyArray<string>
  readonly daemonOrigins: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<string>
  /**
   * Encrypts webhook secrets and signing keys at rest; generated into the data folder when embedded. 32 bytes, and as
   * many of each older key after it (secret-keys.ts).
   */
  readonly secretKey: Uint8Array | undefined
  /** Opens `/metrics` beyond the loopback address. */
  readonly metricsToken: string | undefined
  readonly keyIssuing: "enabled" | "disabled"
  readonly logLevel: "debug" | "info" | "warn" | "error" | "none"
  readonly auditRetentionMillis: number
  /** How much of terminal commands the audit log and kept commands say. */
  readonly auditCommands: CommandsShownOf
  /** A file, or the https address of a collector. */
  readonly auditSink: string | undefined
  readonly auditSinkSecret: string | undefined
  readonly recentLoginSeconds: number
  readonly sessionSeconds: number
  readonly rateKeyPerMinute: number
  readonly rateIpPerMinute: number
  readonly rateIpScope: "unkeyed" | "all"
  readonly connectsPerSecond: number
  readonly disconnectGraceMillis: number
  readonly commandTimeoutMillis: number
  readonly drainMillis: number
  readonly reconnectSpreadMillis: number
  readonly webhookRetriesSeconds: ReadonlyArray<number>
  readonly webhookAllowCidrs: ReadonlyArray<string>
  /** Ranges that no webhook reaches, also where they are public or allowed. */
  readonly webhookDenyCidrs: ReadonlyArray<string>
  readonly oidcIssuer: string | undefined
  readonly oidcClientId: string | undefined
  readonly oidcClientSecret: string | undefined
  /** Of which account people become members who sign in through the provider. */
  readonly oidcAccount: string | undefined
  /** The claim that says a person's groups there, and the role of each group; absent: a group's name is its role. */
  readonly oidcRoleClaim: string | undefined
  readonly oidcRoles: ReadonlyArray<GroupRole>
  readonly signInChallenge: "required" | "optional"
  readonly jwksUrl: string | undefined
  readonly jwksIssuer: string | undefined
  readonly jwksAudience: string | undefined
  readonly jwksAccountClaim: string
  readonly jwksEmailClaim: string
  /** Whether programs may register themselves as OAuth clients (RFC 7591). */
  readonly oauthRegistration: "off" | "open"
  readonly stunUrls: ReadonlyArray<string>
  readonly turnUrls: ReadonlyArray<string>
  readonly turnSecret: string | undefined
  readonly turnCloudflareKeyId: string | undefined
  readonly turnCloudflareToken: string | undefined
  readonly otelDisabled: string
  readonly otelEndpoint: string | undefined
  readonly otelTracesEndpoint: string | undefined
  readonly otelHeaders: string | undefined
  readonly otelTracesHeaders: string | undefined
  readonly otelProtocol: string
  readonly otelServiceName: string | undefined
  readonly otelResourceAttributes: string | undefined
  readonly otelSampler: string
  readonly otelSamplerArg: string | undefined
}
