/**
 * How does plain Node 20 run the project's TypeScript? Loaded by `node --import`, in each of its threads: each module's types are
 * stripped when it is imported.
 */
import { register } from 'node:module';
import process from 'node:process';
import { URL } from 'node:url';

// Node 26 would warn of it on the stderr of every program; what is to take its place Node 20 does not have.
const { noDeprecation } = process;
process.noDeprecation = true;
register(new URL('./typescript-hooks.mjs', import.meta.url));
process.noDeprecation = noDeprecation;
