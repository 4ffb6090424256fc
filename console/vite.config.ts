/** How the console is bundled: one script and one style under fixed names, for http/reference/console-files.ts. */
import { defineConfig } from "vite"

export default defineConfig({
  base: "/console/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // the mark is in the page; there is no folder of files to copy
  publicDir: false,
  build: {
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // on a slow machine each first start would warn of how long a plugin takes
      checks: { bundlerTimings: false },
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        codeSplitting: false
      }
    }
  }
})
