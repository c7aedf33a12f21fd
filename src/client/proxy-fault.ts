/** Why is there no connection to the service? A proxy opens no tunnel to it (tunnel.ts). */
import { systemErrorCode } from '../base/errors.ts';

/** The message says which proxy and why, without what its address may hold of a password. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
  /** That of the fault of the way to the proxy. */
  readonly code: string;
  /** What the proxy has answered. */
  readonly status: number | undefined;

  constructor(
    proxy: URL,
    why: string,
    { status, cause }: { readonly status?: number; readonly cause?: unknown },
  ) {
    super(`the proxy ${proxy.host} ${why}`, { cause });
    this.code = systemErrorCode(cause) ?? 'no tunnel';
    this.status = status;
  }
}
