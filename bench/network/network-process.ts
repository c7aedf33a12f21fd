/** The process of the network: its copying must not slow the server's or the mounts' clocks. */
import { serveCalls } from '../frame/serve-calls.ts';
import type { Pace } from './line.ts';
import { openLink, type Link, type LinkTraffic } from './network-model.ts';

/** What the process answers. */
export type NetworkAnswers = Readonly<{
  /** The port that leads to `targetPort`. */
  open: (targetPort: number, pace: Pace) => Promise<number>;
  /** Of the link at that port, since the last call. */
  takeTraffic: (port: number) => Promise<LinkTraffic>;
}>;

function openNetwork(): Promise<NetworkAnswers> {
  const links = new Map<number, Link>();
  return Promise.resolve({
    open: async (targetPort, pace) => {
      const link = await openLink(targetPort, pace);
      links.set(link.port, link);
      return link.port;
    },
    takeTraffic: (port) => {
      const link = links.get(port);
      if (link === undefined) throw new Error(`there is no link at ${port}`);
      return Promise.resolve(link.takeTraffic());
    },
  });
}

serveCalls(openNetwork);
