/**
 * How does a request of the kernel become a call, and the call's end an answer?
 *
 * A libfuse thread sleeps until it is answered: no answer, and the calling program can not even be killed; two, and the
 * thread's next request gets the second. So every call is answered exactly once, whatever it does.
 */
import { describeError } from '../../base/errors.ts';
import { FsError } from '../../filesystem/errors.ts';
import { errnoNumber } from '../errno.ts';
import type { NativeBinding, NativeHandler } from './binding.ts';
import type { DriverContext } from './driver-context.ts';
import { fileCalls, sizeCalls, transferPayload } from './file-calls.ts';
import { changeCalls, lookCalls, refusedCalls } from './name-calls.ts';
import { refuseImpossibleName } from './name-rules.ts';
import type { NativeAnswer, NativeCalls, NativeOperation } from './native-calls.ts';
import { emptyStatRecord, emptyStatvfsRecord } from './stat-records.ts';
import type { ThreadLocals } from './thread-locals.ts';
import { xattrCalls } from './xattr-calls.ts';

/** Their paths are not checked: they must reach the handle, or the listing, whatever its name is now. */
const ON_OPEN: ReadonlySet<NativeOperation> = new Set([
  'fgetattr',
  'flush',
  'fsync',
  'fsyncdir',
  'ftruncate',
  'read',
  'release',
  'releasedir',
  'write',
]);
/** All others are about one path. */
const ABOUT_TWO_PATHS: ReadonlySet<NativeOperation> = new Set(['rename', 'link', 'symlink']);

/** Every operation's answer of one mount. */
export function nativeCalls(context: DriverContext): NativeCalls {
  return {
    ...fileCalls(context),
    ...sizeCalls(context),
    ...lookCalls(context),
    ...changeCalls(context),
    ...refusedCalls(context),
    ...xattrCalls(context),
  };
}

/** The addon's table of handlers, by opcode, and which of them libfuse is to call. */
export interface HandlerTable {
  readonly handlers: readonly (NativeHandler | undefined)[];
  readonly implemented: Uint32Array;
}

const OPCODE_COUNT = 35;

/** What the addon's signal insists on also when there is nothing to say. */
const REFUSAL_PAYLOADS: Readonly<Partial<Record<NativeOperation, readonly unknown[]>>> = {
  getattr: [emptyStatRecord()],
  fgetattr: [emptyStatRecord()],
  statfs: [emptyStatvfsRecord()],
  open: [0],
  opendir: [0],
  create: [0],
  readdir: [[], []],
  readlink: [''],
};

/** Makes the table for one mount; `onReady` is called once the kernel and libfuse have agreed. */
export function handlerTable(
  binding: NativeBinding,
  context: DriverContext,
  threads: ThreadLocals,
  onReady: () => void,
): HandlerTable {
  const calls = nativeCalls(context);
  const handlers: (NativeHandler | undefined)[] = Array.from({ length: OPCODE_COUNT }, () => undefined);
  const implemented = new Uint32Array(OPCODE_COUNT);
  for (const name of Object.keys(calls) as NativeOperation[]) {
    const opcode = binding[`op_${name}`];
    handlers[opcode] = operationHandler(binding, context, threads, { name, call: calls[name] });
    implemented[opcode] = 1;
  }
  handlers[binding.op_init] = (locals) => {
    process.nextTick(binding.fuse_native_signal_init, locals, 0);
    onReady();
  };
  implemented[binding.op_init] = 1;
  return { handlers, implemented };
}

/** One operation, with the types of its parameters forgotten: the addon keeps to them. */
interface NamedCall {
  readonly name: NativeOperation;
  readonly call: NativeCalls[NativeOperation];
}

function operationHandler(
  binding: NativeBinding,
  { log, replacements }: DriverContext,
  threads: ThreadLocals,
  { name, call }: NamedCall,
): NativeHandler {
  const signal = binding[`fuse_native_signal_${name}`];
  const perform = call as (...parameters: readonly unknown[]) => Promise<NativeAnswer> | NativeAnswer;
  return (locals, _opcode, ...raw) => {
    const parameters = completeParameters(name, raw, locals, threads);
    let answered = false;
    const answer = (result: number, payload: readonly unknown[]): void => {
      if (answered) return;
      answered = true;
      // Not from within the handler: the thread would be woken while the addon still works on its request.
      process.nextTick(signal, locals, result, ...payload);
    };
    const succeed = ({ result, payload }: NativeAnswer): void => {
      answer(result, payload ?? []);
    };
    const refuse = (error: unknown): void => {
      answer(refusalNumber(error, name, parameters, log), refusalPayload(name, parameters));
    };
    try {
      const paths = checkedPaths(name, parameters);
      const before = replacements.before(locals, name, paths);
      const outcome =
        before === undefined ? perform(...parameters) : before.then(() => perform(...parameters));
      if (outcome instanceof Promise) outcome.then(succeed).catch(refuse);
      else succeed(outcome);
    } catch (error) {
      refuse(error);
    }
  };
}

/** The names that an operation is about. Throws when one cannot be. */
function checkedPaths(name: NativeOperation, parameters: readonly unknown[]): readonly string[] {
  if (ON_OPEN.has(name)) return [];
  const paths = parameters.slice(0, ABOUT_TWO_PATHS.has(name) ? 2 : 1).map(String);
  for (const path of paths) refuseImpossibleName(path);
  return paths;
}

/** What the addon passes, and what it only has in its record of the thread. */
function completeParameters(
  name: NativeOperation,
  raw: readonly unknown[],
  locals: Buffer,
  threads: ThreadLocals,
): readonly unknown[] {
  if (name === 'utimens') return threads.withTrueTimes(locals, raw);
  return name === 'rename' ? [...raw, locals] : raw;
}

function refusalNumber(
  error: unknown,
  operation: NativeOperation,
  parameters: readonly unknown[],
  log: DriverContext['log'],
): number {
  if (error instanceof FsError) return -errnoNumber(error.code);
  log.error('an operation failed unexpectedly', {
    operation,
    path: String(parameters[0]),
    reason: describeError(error),
    cause: error,
  });
  return -errnoNumber('EIO');
}

/** Buffers go back to libfuse whatever the result. */
function refusalPayload(name: NativeOperation, parameters: readonly unknown[]): readonly unknown[] {
  const buffer = parameters.find((parameter) => Buffer.isBuffer(parameter));
  if (buffer === undefined || name === 'rename') return REFUSAL_PAYLOADS[name] ?? [];
  return name === 'read' || name === 'write' ? transferPayload(buffer) : [buffer.buffer];
}
