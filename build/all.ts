/** Builds what a start of the hub serves and is not its own code: the console, the daemon for other machines. */
import "../console/build.ts"
import "../daemon/build.ts"
