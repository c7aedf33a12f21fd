/** Does the service answer a mount? */
import type { StatusDocument } from '../control/control-documents.ts';
import { ageOf, minuteOf } from '../screen/figures.ts';

/** What a service may take for an answer before there is anything to say of it, milliseconds. */
const SILENT_MS = 5000;

/** What is wrong with the service, to be said after its name; undefined when nothing is. `now`: milliseconds since 1970. */
export function awayText({ traffic }: StatusDocument, now: number): string | undefined {
  const { offlineSince, silentSince } = traffic;
  if (offlineSince !== null) {
    const since = new Date(offlineSince);
    return `offline since ${minuteOf(since)} (${ageOf(since.getTime(), now)})`;
  }
  const silent = silentSince === null ? now : Date.parse(silentSince);
  return now - silent >= SILENT_MS ? `has not answered for ${ageOf(silent, now)}` : undefined;
}
