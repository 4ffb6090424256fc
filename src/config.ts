/**
 * Every setting of the hub. Owns the settings in force and is the only reader of the environment; config/table.ts holds
 * names, defaults and reasons, config/load.ts the checks.
 */
import { Context, Effect, Layer, type Result } from "effect"
import { loadSettings, type SettingsInvalid } from "./config/load.ts"
import { keyInFolder, type SecretKeyUnusable } from "./config/secret-key.ts"
import { type Settings, settings } from "./config/table.ts"

export { defaultSettings, type Environment, loadSettings, SettingsInvalid } from "./config/load.ts"
export { type Settings, settings } from "./config/table.ts"

/** The settings of this process's environment. */
export const settingsFromEnvironment = (): Result.Result<Settings, SettingsInvalid> => loadSettings(process.env)

/** This process's environment but for the port: for a process that serves it too. */
export const environmentWithPort = (port: number): Readonly<Record<string, string | undefined>> => ({
  ...process.env,
  [settings.port.env]: String(port)
})

/** Settings whose secret key is there: the given one, or on the embedded database the one in the data folder. */
export interface CompleteSettings extends Settings {
  readonly secretKey: Uint8Array
}

/** Settings with the secret key in them; on the embedded database it is made now if there is none. */
export const withSecretKey = (settings: Settings): Effect.Effect<CompleteSettings, SecretKeyUnusable> =>
  Effect.try({
    try: () => ({ ...settings, secretKey: settings.secretKey ?? keyInFolder(settings.dataDir) }),
    catch: (fault) => fault as SecretKeyUnusable
  })

/** The settings in force. */
export class Config extends Context.Service<Config, CompleteSettings>()("hub/Config") {
  /** Settings as a layer. Without a secret key, one is read from the data folder or made there. */
  static readonly layer = (settings: Settings): Layer.Layer<Config> =>
    Layer.effect(Config, Effect.orDie(withSecretKey(settings)))
}
