/**
 * When does undici hear that a connection has ended? Only after the reader of the answer has taken all bytes that came before. Heard earlier,
 * the end would do harm: where the answer says that its connection ends with it, undici would end the process (undici issue 5360); elsewhere
 * an answer that is here to its last byte would count as cut.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** As `connect`, but its sockets tell of their end only when all that came before is taken. */
export function tellingEndLast(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error === null) holdEnd(socket);
      callback(...result);
    });
  };
}

/** A pause shows by what undici puts back (`unshift`, be it nothing); it goes on by taking all that is there (`read`). */
function holdEnd(socket: Socket): void {
  const push = socket.push.bind(socket);
  const unshift = socket.unshift.bind(socket);
  const read = socket.read.bind(socket) as (size?: number) => unknown;
  const destroy = socket.destroy.bind(socket);
  let isWaiting = false;
  let tell: (() => void) | null = null;
  socket.unshift = (piece, encoding) => {
    isWaiting = true;
    unshift(piece, encoding);
  };
  socket.push = (piece, encoding) => {
    if (piece !== null || !isWaiting) return push(piece, encoding);
    tell = () => {
      push(null);
    };
    return false;
  };
  socket.destroy = (error) => {
    if (!isWaiting || !isReset(error)) return destroy(error);
    tell = () => {
      destroy(error);
    };
    return socket;
  };
  socket.read = (size?: number): unknown => {
    // Node's own look whether anything is there.
    if (size === 0) return read(size);
    isWaiting = false;
    const piece = read(size);
    if (piece === null) {
      const told = tell;
      tell = null;
      told?.();
    }
    return piece;
  };
}

/** What the other side may do to a connection; all else comes from here, and is meant at once. */
function isReset(error: NodeJS.ErrnoException | undefined): boolean {
  return error?.code === 'ECONNRESET';
}
