/**
 * How does a descriptor that another program sends over a socket arrive here? Node offers neither socketpair(2) nor the part of
 * recvmsg(2) that takes descriptors, so the C library is called through koffi, which is loaded only by who needs it.
 */
import { getSystemErrorName } from 'node:util';

/** Calls of the C library. Each throws an error that names the call and the system's reason. */
export interface SocketCalls {
  /** Two connected sockets, closed on exec. The caller closes them. */
  openPair(): readonly [number, number];
  /** The descriptor in the first message that waits at `socket`; it is closed on exec. Never waits. */
  receiveDescriptor(socket: number): number;
}

/** The values are those of Linux, the same on every processor that Node 20 runs on there. */
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x40000000;
const DESCRIPTOR_SIZE = 4;
/** More than one descriptor takes: nothing is cut off unseen. */
const CONTROL_SIZE = 64;

/** Rejects where koffi has no build for this machine. */
export async function loadSocketCalls(): Promise<SocketCalls> {
  const koffi = await import('koffi');
  const library = koffi.load(null);
  const vector = koffi.struct({ base: 'void *', length: 'size_t' });
  const header = koffi.struct({
    name: 'void *',
    nameLength: 'uint32_t',
    vectors: koffi.pointer(vector),
    vectorCount: 'size_t',
    control: 'void *',
    controlLength: 'size_t',
    flags: 'int',
  });
  const socketpair = library.func('int socketpair(int, int, int, _Out_ int *)');
  const recvmsg = library.func('recvmsg', 'long', ['int', koffi.pointer(header), 'int']);
  const failure = (call: string): Error => new Error(`${call}: ${getSystemErrorName(-koffi.errno())}`);
  return {
    openPair: () => {
      const pair: [number, number] = [-1, -1];
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) !== 0) throw failure('socketpair');
      return pair;
    },
    receiveDescriptor: (socket) => {
      const [data, control] = [Buffer.alloc(8), Buffer.alloc(CONTROL_SIZE)];
      const message = {
        name: null,
        nameLength: 0,
        vectors: [{ base: data, length: data.length }],
        vectorCount: 1,
        control,
        controlLength: control.length,
        flags: 0,
      };
      const received: unknown = recvmsg(socket, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (received === -1) throw failure('recvmsg');
      return descriptorIn(control, koffi.sizeof('size_t'));
    },
  };
}

/** What cmsg(3) lays out: length, level, type, then the descriptor. */
function descriptorIn(control: Buffer, wordSize: number): number {
  const dataAt = wordSize + 8;
  const length = control.readUIntLE(0, Math.min(wordSize, 6));
  const [level, type] = [control.readInt32LE(wordSize), control.readInt32LE(wordSize + 4)];
  if (length !== dataAt + DESCRIPTOR_SIZE || level !== SOL_SOCKET || type !== SCM_RIGHTS) {
    throw new Error('recvmsg: the message holds no descriptor');
  }
  return control.readInt32LE(dataAt);
}
