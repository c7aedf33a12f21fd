#!/usr/bin/env node
/** The program `mount.fuse.pailfs`, also called `mount.pailfs`. */
import { runMountHelper } from './mount/mount-helper.ts';

const exitCode = await runMountHelper(process.argv.slice(2));
process.exit(exitCode);
