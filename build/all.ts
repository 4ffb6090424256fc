/** Builds what is made of the sources: console, daemon for other machines, commands, the hub in few files. */
import "../console/build.ts"
import "../daemon/build.ts"
import "../integrator/build.ts"
import "./hub.ts"
