/** A service that other processes can ask, with a public file. */
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from './embedded-service.ts';

/** `f` holds `content`. */
export async function servedPublicFile(
  content: string,
  options?: Parameters<typeof startEmbeddedServer>[0],
): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer(options);
  await server.direct.putObject(server.bucket, 'f', uploadOf(content));
  await server.direct.setVisibility(server.bucket, 'f', 'public');
  return server;
}
