/** What runs as the ordinary user of a test: it mounts a file system in memory at the first parameter, under the source that is the second. */
import { silentLog } from '../../src/base/log.ts';
import { createKernelDriver } from '../../src/fuse/kernel/kernel-driver.ts';
import { MemoryFileSystem } from './memory-file-system.ts';

const [mountpoint = '', source = ''] = process.argv.slice(2);
const options = { mountpoint, source, readOnly: false, allowOther: false, log: silentLog };
try {
  await createKernelDriver().mount(new MemoryFileSystem(), options);
  console.log('mounted');
} catch (error) {
  console.log(String(error));
  process.exitCode = 1;
}
