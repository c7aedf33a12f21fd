/** Over TLS a socket says that it has taken bytes only after it has looked for others: by then the answer may be here. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { Authority } from '../support/certificates.ts';
import { openClient, piecesBody } from './open-client.ts';

/** In a thread of its own it answers while we are busy. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { size, ...pair } = workerData;
const document = JSON.stringify({ bucket: 'b', key: 'k', size });
const answer = 'HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: ' + document.length + '\\r\\n\\r\\n' + document;
let uploads = 0;
const server = require('node:tls').createServer(pair, (socket) => {
  let head = '';
  let left = NaN;
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    if (Number.isNaN(left)) {
      head += piece.toString('latin1');
      const end = head.indexOf('\\r\\n\\r\\n');
      if (end === -1) return;
      left = size - (head.length - end - 4);
    } else left -= piece.length;
    if (left > 0) return;
    head = '';
    left = NaN;
    uploads += 1;
    socket.write(answer);
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
parentPort.on('message', () => parentPort.postMessage(uploads));
`;

/** Some milliseconds of each turn of the loop, until the test ends. */
function beBusy(): void {
  const spin = (): void => {
    const until = performance.now() + 5;
    while (performance.now() < until);
    next = setImmediate(spin);
  };
  let next = setImmediate(spin);
  onTestFinished(() => {
    clearImmediate(next);
  });
}

it('is stored by one try when the answer comes with the last byte, however busy we are', async () => {
  const size = 300_000;
  const authority = await Authority.make();
  const pair = await authority.issue('service', 'IP:127.0.0.1');
  const [cert, key] = await Promise.all([readFile(pair.cert, 'utf8'), readFile(pair.key, 'utf8')]);
  const worker = new Worker(PROGRAM, { eval: true, workerData: { cert, key, size } });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = (await once(worker, 'message')) as [number];
  const ca = await readFile(authority.file, 'utf8');
  const { service } = await openClient([], { baseUrl: `https://127.0.0.1:${port}`, tls: { ca } });
  beBusy();

  for (let count = 0; count < 10; count += 1)
    expect(await service.putObject('b', 'k', piecesBody([Buffer.alloc(size)], size))).toMatchObject({ size });

  worker.postMessage('how many?');
  expect(await once(worker, 'message')).toEqual([10]);
});
