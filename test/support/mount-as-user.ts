/**
 * What runs as the ordinary user of a test? It mounts a file system in memory at the first parameter, under the source that is the
 * second. SIGUSR2 makes it exit with code 3 at once, whatever is mounted.
 */
import { silentLog } from '../../src/base/log.ts';
import { createKernelDriver } from '../../src/fuse/kernel/kernel-driver.ts';
import { MemoryFileSystem } from './memory-file-system.ts';

const EXIT_CODE = 3;

const [mountpoint = '', source = ''] = process.argv.slice(2);
const options = { mountpoint, source, readOnly: false, allowOther: false, log: silentLog };
try {
  await createKernelDriver().mount(new MemoryFileSystem(), options);
  process.once('SIGUSR2', () => process.exit(EXIT_CODE));
  console.log('mounted');
} catch (error) {
  console.log(String(error));
  process.exitCode = 1;
}
