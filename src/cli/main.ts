#!/usr/bin/env node
/** The program `pailfs`. */
import { run } from './program.ts';

const exitCode = await run(process.argv.slice(2));
process.exit(exitCode);
