/** Builds what a start of the hub serves (the console, the daemon for other machines) and the commands in one file. */
import "../console/build.ts"
import "../daemon/build.ts"
import "../integrator/build.ts"
