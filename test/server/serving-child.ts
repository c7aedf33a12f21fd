/** A process to be killed: serves the directory named on its command line and says where. */
import { startEmbeddedService } from '../../src/server/start-server.ts';

const [, , directory = ''] = process.argv;
const { baseUrl, credentials } = await startEmbeddedService({ directory });
process.stdout.write(`${JSON.stringify({ baseUrl, credentials })}\n`);
